import { decodeCheckpoint, encodeCheckpoint } from '../core/server/checkpoint.ts';
import type { ParameterServer, SavedServer } from '../core/server/server.ts';
import type { FileIdentity } from '../data/sparse/file-identity.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Resumable } from './state.ts';

/** Making a checkpoint keeps the server from its work: it may take one part in fifty of the time. */
const CHECKPOINT_REST = 50;

/** Where a run at rest is kept. */
export interface CheckpointStore {
  save(id: string, bytes: Uint8Array, meta: Omit<Resumable, 'savedAtMs'>): Promise<void>;
  latest(): Promise<{ bytes: Uint8Array; resumable: Resumable } | null>;
  drop(id: string): Promise<void>;
}

interface KeeperDeps {
  /** Null: nothing is saved, and nothing that was saved is touched. */
  readonly store: CheckpointStore | null;
  readonly server: ParameterServer;
  now(): number;
  /** The file a run trains on, if it is one. */
  file(): FileIdentity | null;
  /** A checkpoint was made; until then the server did nothing else. */
  onMade(startMs: number, durationMs: number): void;
  onFailed(error: unknown): void;
}

/** Saves the run that goes on, one checkpoint at a time, and has the one that was found when the host opened. */
export class CheckpointKeeper {
  readonly #deps: KeeperDeps;
  #found: { readonly saved: SavedServer; readonly resumable: Resumable } | null = null;
  #state: 'idle' | 'saving' | 'saving, then again' = 'idle';
  #nextSaveMs = 0;

  constructor(deps: KeeperDeps) {
    this.#deps = deps;
  }

  /** A run that could go on. */
  get resumable(): Resumable | null {
    return this.#found?.resumable ?? null;
  }

  /** Looks for a run to go on with; one already started by hand wins. */
  async find(): Promise<void> {
    const { store, server } = this.#deps;
    const found = await store?.latest();
    if (server.run || !found) return;
    // A setting that did not exist when the run was saved is as usual.
    const experiment = { ...defaultExperiment, ...found.resumable.experiment };
    const saved = decodeCheckpoint(found.bytes, resolveExperiment(experiment).schema.size);
    this.#found = { saved, resumable: { ...found.resumable, experiment } };
    server.recall(saved.members);
  }

  /** What was found, to go on with; it stays in the store until the next checkpoint takes its place. */
  take(): SavedServer | null {
    const saved = this.#found?.saved ?? null;
    this.#found = null;
    return saved;
  }

  /** What was found is not wanted. */
  discard(): void {
    if (this.#found) this.drop(this.#found.resumable.id);
    this.#found = null;
  }

  drop(id: string): void {
    void this.#deps.store?.drop(id).catch(() => {});
  }

  /** Another run begins. */
  restart(): void {
    this.discard();
    this.#nextSaveMs = 0;
  }

  /** Saves the run as it is, or forgets it if it is finished. */
  async save(): Promise<void> {
    const { store, server, now, onFailed } = this.#deps;
    if (!store) return;
    const isRunning = server.run?.phase === 'running';
    // One at a time. While a run goes on the next will come; the last, at a pause or the end, must not be missed.
    if (this.#state !== 'idle') {
      this.#state = isRunning ? 'saving' : 'saving, then again';
      return;
    }
    const snapshot = isRunning && now() < this.#nextSaveMs ? null : server.snapshot(now());
    if (!snapshot) return;
    this.#state = 'saving';
    await this.#write(store, snapshot).catch(onFailed);
    const isDue = this.#state !== 'saving';
    this.#state = 'idle';
    if (isDue) void this.save();
  }

  async #write(store: CheckpointStore, snapshot: SavedServer): Promise<void> {
    const { server, now, file, onMade } = this.#deps;
    const { id, experiment, version } = snapshot.head;
    if (server.run?.phase === 'finished') return store.drop(id);
    const startMs = now();
    const bytes = encodeCheckpoint(snapshot, server.run?.touched ?? null);
    const saving = store.save(id, bytes, { id, experiment, version, file: experiment.data === 'file' ? file() : null });
    const durationMs = now() - startMs;
    this.#nextSaveMs = now() + CHECKPOINT_REST * durationMs;
    onMade(startMs, durationMs);
    return saving;
  }
}
