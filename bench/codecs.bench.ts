import { parseArgs } from 'node:util';
import { type Codec, codecNamed } from '../src/core/math/codec/codec.ts';
import { ErrorFeedback } from '../src/core/math/codec/feedback.ts';
import { rng } from '../src/core/math/rng.ts';
import { upNames } from '../src/experiment/experiment.ts';
import { bandOf, interleave } from './interleave.ts';

export const name = 'codecs';
export const describe =
  'CPU time of encoding and decoding 1,000,000 numbers ÷ copying them, per codec; top-k of 1 %, also with feedback (--pairs n)';

const COUNT = 1_000_000;
const TURNS = 10;

export async function run(args: readonly string[]): Promise<object> {
  const { values: options } = parseArgs({ args: [...args], options: { pairs: { type: 'string' } } });
  const pairs = Number(options.pairs ?? 15);
  const random = rng(7, 'codecs');
  // Sizes over three decades, as between the layers of a network.
  const values = Float32Array.from({ length: COUNT }, (_, i) => random.normal() * 10 ** (-1 - ((i >> 10) % 4)));
  const into = new Float32Array(COUNT);
  const copy = () => into.set(values);
  const results: Record<string, object> = {};
  for (const codec of upNames.map((each) => codecNamed(each, 0.01))) {
    const bytes = codec.encode(values, random);
    const encode = await compare(() => codec.encode(values, random), copy, pairs);
    const decode = await compare(() => codec.decode(bytes, into), copy, pairs);
    results[codec.name] = { bytesPerNumber: bytes.length / COUNT, encode, decode };
    note(codec.name, { encode, decode });
    if (codec.needsFeedback) {
      const encodeAndSettle = await compare(withFeedback(codec, values), copy, pairs);
      results[`${codec.name} with feedback`] = { encodeAndSettle };
      note(`${codec.name} with feedback`, { encodeAndSettle });
    }
  }
  return { numbers: COUNT, ...results };
}

function withFeedback(codec: Codec, values: Float32Array): () => void {
  const feedback = new ErrorFeedback(codec, values.length);
  const random = rng(7, 'feedback');
  return () => {
    feedback.encode(values, random);
    feedback.settle(true);
  };
}

interface Compared {
  readonly nsPerNumber: number;
  readonly copyNsPerNumber: number;
  readonly timesCopy: ReturnType<typeof bandOf>;
}

async function compare(work: () => void, copy: () => void, pairs: number): Promise<Compared> {
  // Long enough for the optimizing compiler to be done with both.
  for (let turn = 0; turn < 20; turn++) {
    work();
    copy();
  }
  const { a, b, ratio } = await interleave(
    async () => cpuNsPerNumber(work),
    async () => cpuNsPerNumber(copy),
    { pairs },
  );
  return { nsPerNumber: bandOf(a).median, copyNsPerNumber: bandOf(b).median, timesCopy: ratio };
}

function cpuNsPerNumber(work: () => void): number {
  const before = process.cpuUsage();
  for (let turn = 0; turn < TURNS; turn++) work();
  const { user, system } = process.cpuUsage(before);
  return (1000 * (user + system)) / (TURNS * COUNT);
}

function note(title: string, parts: Record<string, Compared>): void {
  for (const [part, { nsPerNumber, timesCopy }] of Object.entries(parts)) {
    const words = `${nsPerNumber.toFixed(2)} ns a number, ${timesCopy.median.toFixed(1)} times a copy`;
    console.error(`${title}, ${part}: ${words}`);
  }
}
