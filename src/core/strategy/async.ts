import type { StrategyFactory } from './strategy.ts';

/** Every push is applied as it comes and answered with fresh parameters; nobody waits for anybody. */
export const async: StrategyFactory = () => ({
  admits: () => true,
  offer(field) {
    field.release(field.idle());
  },
  deliver(delivery, field) {
    field.judge(delivery, { kind: 'applied', staleness: field.version - delivery.version });
    field.update(delivery.gradient, 1, delivery.loss);
    field.release([delivery.worker]);
  },
  gone() {},
  tick() {},
});
