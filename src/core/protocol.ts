import * as z from 'zod/mini';
import { experimentSchema } from './config.ts';

/**
 * Everything a worker and a host say to each other. A message is a small JSON head, checked against these schemas
 * on arrival, and where noted a body of numbers. docs/PROTOCOL.md has the rules; a change here raises PROTOCOL.
 */
export const PROTOCOL = 1;

const u32 = z.int().check(z.minimum(0), z.maximum(2 ** 32 - 1));
const position = z.int().check(z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
const ms = z.number().check(z.minimum(0), z.maximum(1e9));
const text = (max: number) => z.string().check(z.maxLength(max));

/** A worker's right to compute these examples of the epoch order, once. */
export const leaseSchema = z.object({ id: u32, from: position, count: u32 });
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

export const rejections = ['old-run', 'repeated', 'no-lease', 'wrong-version', 'wrong-size', 'not-finite'] as const;
/** Why a push was not considered at all. */
export type Rejection = (typeof rejections)[number];

const verdict = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('applied'), staleness: u32 }),
  z.object({ kind: z.literal('stale'), staleness: u32 }),
  z.object({ kind: z.literal('rejected'), reason: z.enum(rejections) }),
]);
export type Verdict = z.infer<typeof verdict>;

const toHost = z.discriminatedUnion('type', [
  z.object({ type: z.literal('hello'), protocol: u32, token: text(64), name: text(24), device: text(80) }),
  z.object({ type: z.literal('ready'), run: u32, schema: text(16), backend: text(16), why: text(200) }),
  /** Body: the gradient, one number per parameter, averaged over the lease's examples. */
  z.object({
    type: z.literal('push'),
    run: u32,
    seq: u32,
    lease: u32,
    version: u32,
    examples: u32,
    loss: z.number(),
    phases: phasesSchema,
  }),
  z.object({ type: z.literal('pause') }),
  z.object({ type: z.literal('resume') }),
  /** A lease that could not be computed, in words; lease 0 where the model could not even be prepared. */
  z.object({ type: z.literal('trouble'), run: u32, lease: u32, text: text(300) }),
  z.object({ type: z.literal('beat') }),
  z.object({ type: z.literal('leave') }),
]);

const toWorker = z.discriminatedUnion('type', [
  z.object({ type: z.literal('welcome'), worker: u32, name: text(24), token: text(64) }),
  z.object({ type: z.literal('run'), run: u32, schema: text(16), experiment: experimentSchema }),
  /** Body: the parameters. Start computing the oldest lease on them. */
  z.object({ type: z.literal('work'), run: u32, version: u32, pauses: u32, leases: z.array(leaseSchema) }),
  /** The one answer to a push. Body: fresh parameters, to go on at once; or none: wait for `work`. */
  z.object({
    type: z.literal('answer'),
    run: u32,
    seq: u32,
    verdict,
    version: u32,
    /** How many of the worker's pauses the host had heard of: what it gave before the last one was taken back. */
    pauses: u32,
    heldMs: ms,
    leases: z.array(leaseSchema),
  }),
  z.object({
    type: z.literal('progress'),
    run: u32,
    phase: z.enum(['waiting', 'running', 'paused', 'finishing', 'finished', 'failed']),
    version: u32,
    examples: position,
    workers: u32,
    loss: z.nullable(z.number()),
    accuracy: z.nullable(z.number()),
    leftMs: z.nullable(z.number()),
  }),
  z.object({ type: z.literal('bye'), reason: z.enum(refusals) }),
]);

export type ToHost = z.infer<typeof toHost>;
export type ToWorker = z.infer<typeof toWorker>;

/** What a frame carries, for counting bytes. The order is the number on the wire. */
export const kinds = ['control', 'parameters', 'gradients'] as const;
export type Kind = (typeof kinds)[number];

/** Checks a head sent by a worker. Throws on anything else. */
export const readToHost = (head: unknown): ToHost => toHost.parse(head);
/** Checks a head sent by a host. Throws on anything else. */
export const readToWorker = (head: unknown): ToWorker => toWorker.parse(head);
