import { codecNamed } from '../../core/math/codec/codec.ts';
import { rng } from '../../core/math/rng.ts';
import { RingReduce } from '../../core/ring/ring.ts';
import { type CodecName, defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { resolveExperiment } from '../../models/plan.ts';
import { bytes, count, counted } from '../../observe/format.ts';

/** How many numbers a model has for this data; null if they do not fit, or if a step moves only some of the numbers. */
export function modelSize(model: string, data: string): number | null {
  try {
    const { schema } = resolveExperiment({ ...defaultExperiment, model, data, batch: 1 });
    return schema.keysPerExample === null ? schema.size : null;
  } catch {
    return null;
  }
}

/** Exactly how many bytes `numbers` take; null for a share that no top-k can have. */
export function codecBytes(name: CodecName, share: number, numbers: number): number | null {
  if (name === 'topk' && !(share > 0 && share <= 1)) return null;
  return codecNamed(name, share).bytesFor(numbers);
}

/**
 * What one worker sends up, gets down and sends others in one exchange of a sound experiment, in bytes of numbers; a message
 * has some 200 more.
 */
export function exchangeBytes(experiment: Experiment) {
  const { strategy, up, down, topk, workers } = experiment;
  const { size } = resolveExperiment(experiment).schema;
  const codec = codecNamed(up, topk);
  if (strategy !== 'allreduce') {
    return { numbers: size, up: codec.bytesFor(size), down: codecNamed(down, topk).bytesFor(size), between: 0 };
  }
  const members = Array.from({ length: workers }, (_, member) => member);
  const { bytesToSend } = new RingReduce({ members, self: 0, size, codec, random: rng('bytes') });
  return { numbers: size, up: 0, down: 0, between: bytesToSend };
}

/** How much a worker moves and how often, compared with the same in float32. */
export function exchangeWords(experiment: Experiment): string {
  const { size, keysPerExample } = resolveExperiment(experiment).schema;
  if (keysPerExample !== null) return `${count(size)} numbers, of which only those that a batch touches travel.`;
  const now = exchangeBytes(experiment);
  const plain = exchangeBytes({ ...experiment, up: 'float32', down: 'float32' });
  const shrunk = (from: number, to: number) => (from === to ? bytes(to) : `${bytes(from)} → ${bytes(to)}`);
  const { strategy, localSteps } = experiment;
  const numbers = `${count(now.numbers)} numbers`;
  if (strategy === 'single') return `${numbers}, but no wire: they stay in this tab.`;
  if (strategy === 'allreduce') {
    return now.between === 0
      ? `${numbers}. With one worker nothing is sent.`
      : `${numbers}. Each step a worker sends others ${shrunk(plain.between, now.between)}, and gets as much.`;
  }
  const often = strategy === 'local' ? `Every ${counted(localSteps, 'step')}` : 'Each step';
  return `${numbers}. ${often}: up ${shrunk(plain.up, now.up)}, down ${shrunk(plain.down, now.down)}.`;
}
