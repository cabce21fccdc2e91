import * as z from 'zod/mini';
import { experimentSchema } from '../../experiment/experiment.ts';
import { sampleSchema } from './resources.ts';

/**
 * Everything a worker and a host say to each other. A message is a small JSON head, checked against these schemas
 * on arrival, and where noted a body of numbers. docs/PROTOCOL.md has the rules; a change here raises PROTOCOL.
 */
export const PROTOCOL = 3;

const u32 = z.int().check(z.minimum(0), z.maximum(2 ** 32 - 1));
const position = z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
const ms = z.number().check(z.minimum(0), z.maximum(1e9));
const text = (max: number) => z.string().check(z.maxLength(max));

/** A kind of message: the schema of its head. */
const message = <Type extends string, Shape extends z.core.$ZodShape>(type: Type, shape: Shape) =>
  z.object({ type: z.literal(type), ...shape });

/** A worker's right to compute these examples of the epoch order, once. */
const leaseSchema = z.object({ id: u32, from: position, count: u32 });
export type Lease = z.infer<typeof leaseSchema>;

/** Where one step's time went at the worker, in milliseconds. */
export const phasesSchema = z.object({
  waitMs: ms,
  transferMs: ms,
  decodeMs: ms,
  computeMs: ms,
  readMs: ms,
  encodeMs: ms,
  sendMs: ms,
});
export type Phases = z.infer<typeof phasesSchema>;

export const refusals = ['protocol', 'schema', 'full', 'removed', 'garbled', 'silent', 'closed'] as const;
/** Why a host ends a link. The page has words for each. */
export type Refusal = (typeof refusals)[number];

const rejections = ['old-run', 'repeated', 'no-lease', 'wrong-version', 'wrong-size', 'not-finite'] as const;
/** Why a push was not considered at all. */
export type Rejection = (typeof rejections)[number];

const verdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('applied'), staleness: u32 }),
  z.object({ kind: z.literal('stale'), staleness: u32 }),
  z.object({ kind: z.literal('rejected'), reason: z.enum(rejections) }),
]);
export type Verdict = z.infer<typeof verdict>;

const runPhases = ['waiting', 'running', 'paused', 'finishing', 'finished', 'failed'] as const;
export type RunPhase = (typeof runPhases)[number];

const toHost = z.discriminatedUnion('type', [
  message('hello', { protocol: u32, token: text(64), name: text(24), device: text(80) }),
  message('ready', { run: u32, schema: text(16), backend: text(16), why: text(200) }),
  /**
   * Body: the gradient as the experiment's `up` codec writes it, averaged over the lease's examples; for local steps,
   * the parameters given minus those reached. With all-reduce none: the numbers go to the other workers.
   * Where parameters have keys: the numbers for those of this lease, then the keys of the `next` one.
   */
  message('push', {
    run: u32,
    seq: u32,
    lease: u32,
    version: u32,
    examples: u32,
    loss: z.number(),
    /** How many predictions were right; null if they were not counted. */
    correct: z.nullable(u32),
    phases: phasesSchema,
    /** Bytes sent to other workers since the last push. */
    peerBytes: position,
    /** The lease whose keys end the body, how many they are and how many bytes they take. */
    next: z.nullable(z.object({ lease: u32, count: u32, bytes: u32 })),
  }),
  /** Parameters with keys: the lease's keys, where no push could include them. Body: so many keys. */
  message('pull', { run: u32, lease: u32, count: u32 }),
  /** All-reduce: the mean over this ring is complete. It is used when the push is answered as applied. */
  message('reduced', { run: u32, ring: u32, checksum: u32 }),
  /** All-reduce: this other worker cannot be reached, or sent something malformed. */
  message('unreachable', { run: u32, ring: u32, peer: u32 }),
  /** All-reduce, the answer to `fetch`. Body: parameters and optimizer state of this version, as float32. */
  message('state', { run: u32, version: u32 }),
  /** For another worker of the ring: how to connect. The host passes it on unread. */
  message('signal', { peer: u32, data: text(16_384) }),
  message('pause', {}),
  message('resume', {}),
  /** A lease that could not be computed, in words; lease 0 where the model could not even be prepared. */
  message('trouble', { run: u32, lease: u32, text: text(300) }),
  /** What the worker's machine is doing, now and then. */
  message('sample', { sample: sampleSchema }),
  /** Data that only the host has: asks for the examples of this lease. Answered with `examples`. */
  message('want', { run: u32, lease: u32 }),
  message('beat', {}),
  message('leave', {}),
]);

const toWorker = z.discriminatedUnion('type', [
  message('welcome', { worker: u32, name: text(24), token: text(64) }),
  message('run', { run: u32, schema: text(16), experiment: experimentSchema }),
  /**
   * Start computing the oldest lease. Body: the parameters as the experiment's `down` codec writes them. With all-reduce
   * usually none, since the worker has its own; else parameters and optimizer state, as float32. Where parameters have
   * keys: those of the lease that is `due`, or none if the host does not know its keys, which the worker then sends.
   */
  message('work', { run: u32, version: u32, pauses: u32, leases: z.array(leaseSchema), due: u32 }),
  /** The one answer to a push. Body: fresh parameters, where they come from the host and `isNext`. */
  message('answer', {
    run: u32,
    seq: u32,
    verdict,
    version: u32,
    /** How many of the worker's pauses the host has heard: what it gave before the last one was taken back. */
    pauses: u32,
    heldMs: ms,
    /** Whether to compute the next lease at once; otherwise wait for `work`. */
    isNext: z.boolean(),
    leases: z.array(leaseSchema),
    /** Parameters with keys: the lease to compute next, any before it being taken back; 0 for none. */
    due: u32,
  }),
  /**
   * All-reduce: add up the gradients for this version in this order of workers, and start again if another ring was under
   * way. Each of `feeds` first sends its parameters and optimizer state to a worker that has none.
   */
  message('ring', {
    run: u32,
    ring: u32,
    version: u32,
    members: z.array(u32).check(z.maxLength(1000)),
    feeds: z.array(z.object({ from: u32, to: u32 })).check(z.maxLength(1000)),
  }),
  /** All-reduce: send `state` as it is now. */
  message('fetch', { run: u32 }),
  /** Body: the examples of a lease, as `sparse/example-coding.ts` writes them; none, and why, if they cannot be read. */
  message('examples', { run: u32, lease: u32, problem: z.nullable(text(300)) }),
  message('signal', { peer: u32, data: text(16_384) }),
  message('progress', {
    run: u32,
    phase: z.enum(runPhases),
    version: u32,
    examples: position,
    workers: u32,
    loss: z.nullable(z.number()),
    accuracy: z.nullable(z.number()),
    leftMs: z.nullable(z.number()),
  }),
  message('bye', { reason: z.enum(refusals) }),
]);

/** What workers of a ring say to each other. */
const toPeer = z.discriminatedUnion('type', [
  /** Body: a slice of the sum, as the experiment's `up` codec writes it. */
  message('slice', { run: u32, ring: u32, step: u32 }),
  /** Body: parameters and optimizer state, as float32. */
  message('state', { run: u32, version: u32 }),
]);

export type ToHost = z.infer<typeof toHost>;
export type ToWorker = z.infer<typeof toWorker>;
export type ToPeer = z.infer<typeof toPeer>;

/** What a frame carries, for counting bytes. The order is the number on the wire. */
export const kinds = ['control', 'parameters', 'gradients', 'data'] as const;
export type Kind = (typeof kinds)[number];

/** Checks a head sent by a worker. Throws on anything else. */
export const readToHost = (head: unknown): ToHost => toHost.parse(head);
/** Checks a head sent by a host. Throws on anything else. */
export const readToWorker = (head: unknown): ToWorker => toWorker.parse(head);
/** Checks a head sent by another worker. Throws on anything else. */
export const readToPeer = (head: unknown): ToPeer => toPeer.parse(head);
