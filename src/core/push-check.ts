import { codecs } from './codec/codec.ts';
import type { Member } from './member.ts';
import { isBounded } from './params.ts';
import type { Lease, Rejection, ToHost } from './protocol.ts';
import type { Run } from './run.ts';

export type Push = Extract<ToHost, { type: 'push' }>;

/** What a push turned out to be. */
export type Checked =
  /** Not the one that is expected of this worker: it changes nothing, not even the worker's state. */
  | { readonly kind: 'unexpected'; readonly reason: Rejection }
  /** The expected one, but useless; the lease, if it was held, goes to another. */
  | { readonly kind: 'unusable'; readonly reason: Rejection; readonly lease: Lease | null }
  /** Sound numbers; the lease is null if it was taken back meanwhile. */
  | { readonly kind: 'sound'; readonly gradient: Float32Array; readonly lease: Lease | null };

/** Checks everything a push claims before any of it is used. */
export function checkPush(run: Run | null, member: Member, push: Push, body: Uint8Array): Checked {
  if (!run || push.run !== run.run) return { kind: 'unexpected', reason: 'old-run' };
  if (push.seq <= member.lastSeq) return { kind: 'unexpected', reason: 'repeated' };
  if (member.phase === 'held') return { kind: 'unexpected', reason: 'no-lease' };
  const lease = run.leases.find(push.lease, member.worker);
  const unusable = (reason: Rejection): Checked => ({ kind: 'unusable', reason, lease });
  if (!lease && push.version >= run.latestVersion) return unusable('no-lease');
  if (push.version !== member.version) return unusable('wrong-version');
  if (lease && push.examples !== lease.count) return unusable('wrong-size');
  const codec = codecs.float32;
  if (body.length !== codec.bytesFor(run.params.length)) return unusable('wrong-size');
  const gradient = codec.decode(body, run.params.length);
  if (!isBounded(gradient) || !Number.isFinite(push.loss)) return unusable('not-finite');
  return { kind: 'sound', gradient, lease };
}
