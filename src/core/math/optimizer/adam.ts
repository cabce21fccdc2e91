import type { OptimizerFactory } from './optimizer.ts';

const BETA1 = 0.9;
const BETA2 = 0.999;
const EPSILON = 1e-7;

/** Adam (Kingma & Ba, 2015) with the bias corrections folded into the rate. */
export const adam: OptimizerFactory = (size, { lr }) => {
  const mean = new Float32Array(size);
  const square = new Float32Array(size);
  return {
    slots: [mean, square],
    apply(params, { values }, scale, step) {
      const rootCorrection = Math.sqrt(1 - BETA2 ** step);
      const rate = (lr * rootCorrection) / (1 - BETA1 ** step);
      const epsilon = EPSILON * rootCorrection;
      for (let i = 0; i < params.length; i++) {
        const g = scale * (values[i] as number);
        const m = BETA1 * (mean[i] as number) + (1 - BETA1) * g;
        const s = BETA2 * (square[i] as number) + (1 - BETA2) * g * g;
        mean[i] = m;
        square[i] = s;
        params[i] = (params[i] as number) - (rate * m) / (Math.sqrt(s) + epsilon);
      }
    },
  };
};
