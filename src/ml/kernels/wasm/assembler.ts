/** WebAssembly instructions as bytes: an expression leaves one value on the stack, a statement none. */
export type Code = readonly number[];

/** Unsigned LEB128, the format's own way to write numbers. */
const uleb = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value >>> 0;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
};

const sleb = (value: number): number[] => {
  const bytes: number[] = [];
  let rest = value | 0;
  for (; rest < -64 || rest > 63; rest >>= 7) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest & 0x7f];
};

const simd = (opcode: number): number[] => [0xfd, ...uleb(opcode)];
/** Byte alignment is a hint only: 2 ** 2. */
const place = (offset: number): number[] => [2, ...uleb(offset)];

export const int = (value: number): Code => [0x41, ...sleb(value)];
export const get = (local: number): Code => [0x20, ...uleb(local)];
export const set = (local: number, value: Code): Code => [...value, 0x21, ...uleb(local)];
export const getGlobal = (index: number): Code => [0x23, ...uleb(index)];
export const setGlobal = (index: number, value: Code): Code => [...value, 0x24, ...uleb(index)];
export const add = (a: Code, b: Code): Code => [...a, ...b, 0x6a];
export const sub = (a: Code, b: Code): Code => [...a, ...b, 0x6b];
export const mul = (a: Code, b: Code): Code => [...a, ...b, 0x6c];
export const divide = (a: Code, b: Code): Code => [...a, ...b, 0x6e];
/** Signed a > b, a ≥ b. */
export const isMore = (a: Code, b: Code): Code => [...a, ...b, 0x4a];
export const isAtLeast = (a: Code, b: Code): Code => [...a, ...b, 0x4e];
export const isSame = (a: Code, b: Code): Code => [...a, ...b, 0x46];
export const when = (condition: Code, then: Code, otherwise: Code = []): Code => [
  ...condition,
  0x04,
  0x40,
  ...then,
  ...(otherwise.length > 0 ? [0x05, ...otherwise] : []),
  0x0b,
];
/** Runs the body, and again while the condition holds. */
export const repeatWhile = (body: Code, condition: Code): Code => [0x03, 0x40, ...body, ...condition, 0x0d, 0, 0x0b];
export const call = (index: number, ...args: readonly Code[]): Code => [...args.flat(), 0x10, ...uleb(index)];

export const zeros: Code = [...simd(0x0c), ...new Array<number>(16).fill(0)];
export const load4 = (address: Code, offset = 0): Code => [...address, ...simd(0x00), ...place(offset)];
/** One number in all four lanes. */
export const loadToAll = (address: Code, offset = 0): Code => [...address, ...simd(0x09), ...place(offset)];
export const store4 = (address: Code, value: Code, offset = 0): Code => [
  ...address,
  ...value,
  ...simd(0x0b),
  ...place(offset),
];
export const storeLane = (address: Code, value: Code, lane: number, offset: number): Code => [
  ...address,
  ...value,
  ...simd(0x5a),
  ...place(offset),
  lane,
];
/** One number in the first lane, zeros in the others. */
export const loadOne = (address: Code): Code => [...address, ...simd(0x5c), ...place(0)];
/** The larger, lane by lane; NaN stays NaN. */
export const max4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe9)];
/** All bits set in lanes where a > b, which NaN never is. */
export const isMore4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x44)];
export const isSame4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x41)];
export const sub4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe5)];
export const mul4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe6)];
export const divide4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe7)];
export const sqrt4 = (a: Code): Code => [...a, ...simd(0xe3)];
export const add4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0xe4)];
/** a where b's bits are not set. */
export const andNot4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x4f)];
export const and4 = (a: Code, b: Code): Code => [...a, ...b, ...simd(0x4e)];
/** a · b + c, rounded once or twice as the device likes, where it has such an instruction; else rounded twice. */
export const multiplyAdd4 = (a: Code, b: Code, c: Code, isRelaxed: boolean): Code =>
  isRelaxed ? [...a, ...b, ...c, ...simd(0x105)] : [...a, ...b, ...simd(0xe6), ...c, ...simd(0xe4)];

/** A function of int32 parameters and no result, with further int32 and vector locals. */
export interface Func {
  readonly params: number;
  readonly ints: number;
  readonly vectors: number;
  readonly body: Code;
  /** Functions without one are for calls from inside. */
  readonly name: string | null;
}

const INT = 0x7f;
const VECTOR = 0x7b;
const section = (id: number, items: readonly Code[]): Code => {
  const content = [...uleb(items.length), ...items.flat()];
  return [id, ...uleb(content.length), ...content];
};
const text = (value: string): Code => [...uleb(value.length), ...Array.from(value, (char) => char.charCodeAt(0))];

/** A module over the imported memory `env.memory`, with this many int32 globals. */
export function moduleOf(functions: readonly Func[], globals: number): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ params }) => [0x60, ...uleb(params), ...new Array<number>(params).fill(INT), 0]);
  const named = functions.flatMap(({ name }, index) => (name === null ? [] : [[...text(name), 0, ...uleb(index)]]));
  const bodies = functions.map(({ ints, vectors, body }) => {
    const code = [2, ...uleb(ints), INT, ...uleb(vectors), VECTOR, ...body, 0x0b];
    return [...uleb(code.length), ...code];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types),
    ...section(2, [[...text('env'), ...text('memory'), 2, 0, 0]]),
    ...section(
      3,
      functions.map((_, index) => uleb(index)),
    ),
    ...section(
      6,
      Array.from({ length: globals }, () => [INT, 1, ...int(0), 0x0b]),
    ),
    ...section(7, named),
    ...section(10, bodies),
  ]);
}
