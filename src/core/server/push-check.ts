import type { Gradient } from '../math/gradient.ts';
import { boundedNorm } from '../math/params.ts';
import type { Lease, Rejection, ToHost } from '../wire/protocol.ts';
import type { Run } from './run.ts';
import type { Session } from './session.ts';

export type Push = Extract<ToHost, { type: 'push' }>;

/** What a push turned out to be. */
export type Checked =
  /** Not expected of this worker: it changes nothing, not even the worker's state. */
  | { readonly kind: 'unexpected'; readonly reason: Rejection }
  /** Expected, but useless; the lease, if it was held, goes to another worker. */
  | { readonly kind: 'unusable'; readonly reason: Rejection; readonly lease: Lease | null }
  /** Sound numbers, no larger than usual; the lease is null if it was taken back meanwhile. */
  | { readonly kind: 'sound'; readonly gradient: Gradient; readonly lease: Lease | null };

const NO_NUMBERS: Gradient = { values: new Float32Array(0), keys: null };

const unusable = (reason: Rejection, lease: Lease | null): Checked => ({ kind: 'unusable', reason, lease });

/** Checks everything a push claims before any of it is used. */
export function checkPush(run: Run, session: Session, push: Push, body: Uint8Array): Checked {
  const { work, member } = session;
  if (push.run !== run.run) return { kind: 'unexpected', reason: 'old-run' };
  if (push.seq <= session.lastSeq) return { kind: 'unexpected', reason: 'repeated' };
  // With overlap, a worker that was told to wait may still hand in what it had begun.
  if (work.kind !== 'computing' && work.kind !== 'ready') return { kind: 'unexpected', reason: 'no-lease' };
  const lease = run.leases.find(push.lease, member.worker);
  const isRevoked = work.kind === 'computing' && work.isRevoked;
  if (!lease && !isRevoked && push.version >= run.latestVersion) return unusable('no-lease', lease);
  if (push.version !== session.version && !isOverlapped(run, session, push)) return unusable('wrong-version', lease);
  if (lease && push.examples !== lease.count) return unusable('wrong-size', lease);
  if (!Number.isFinite(push.loss)) return unusable('not-finite', lease);
  if (run.keeper === 'workers') {
    return body.length === 0 ? { kind: 'sound', gradient: NO_NUMBERS, lease } : unusable('wrong-size', lease);
  }
  // Its keys were forgotten with its lease, so nobody knows what the numbers are for, nor needs to.
  if (run.keys && !lease) return { kind: 'sound', gradient: NO_NUMBERS, lease };
  const numbers = body.subarray(0, Math.max(0, body.length - (push.next?.bytes ?? 0)));
  const gradient = run.decode(numbers, push.lease);
  if (typeof gradient === 'string') return unusable(gradient, lease);
  const norm = boundedNorm(gradient.values);
  if (norm === null) return unusable('not-finite', lease);
  run.clip(gradient.values, norm);
  return { kind: 'sound', gradient, lease };
}

/** With overlap, a worker goes on with the parameters it has while fresh ones are on their way. */
const isOverlapped = ({ plan }: Run, { previousVersion }: Session, { version }: Push) =>
  plan.experiment.overlap && plan.experiment.strategy === 'async' && version === previousVersion;
