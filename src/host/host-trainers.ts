import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { StepProfile } from '../observe/step-trace.ts';
import type { TrainerMesh } from '../worker/mesh.ts';
import type { FromTrainer, ToTrainer } from '../worker/thread.ts';
import type { LocalNote } from './state.ts';
import type { Spawn, Thread, ToServer } from './thread.ts';

export interface HostTrainersDeps {
  readonly baseUrl: string;
  readonly backend: BackendChoice;
  readonly device: string;
  /** What to do when a thread is gone, for the person who reads its last words. */
  readonly remedy: string;
  readonly spawnTrainer: Spawn<ToTrainer, FromTrainer>;
  /** Without it, the host's own worker has no links to others. */
  readonly meshFor?: (trainer: Thread<ToTrainer>) => LocalMesh;
}

type LocalMesh = Pick<TrainerMesh, 'hear' | 'close'>;

/** What the trainers need of the host that has them. */
interface TrainersHost {
  tellServer(message: ToServer, transfer?: Transferable[]): void;
  /** A link of the host's own worker: its number, and the worker's end of it. */
  openLocalLink(): { readonly link: number; readonly port: MessagePort };
  /** What the threads are doing, or what went wrong; null when all is well. */
  onNote(note: LocalNote): void;
  /** The host's own worker stopped by itself. */
  onLocalEnd(): void;
}

const preparingWords = {
  library: 'Loading the tensor library…',
  data: 'Loading the training data…',
  'warm-up': 'Warming up…',
} as const;

/** The trainer threads of the host's own process: its worker, its evaluator, and one for each profile that is asked for. */
export class HostTrainers {
  readonly #deps: HostTrainersDeps;
  readonly #host: TrainersHost;
  #local: { readonly trainer: Thread<ToTrainer>; readonly link: number; readonly mesh: LocalMesh | null } | null = null;
  #evaluator: Thread<ToTrainer> | null = null;

  constructor(deps: HostTrainersDeps, host: TrainersHost) {
    this.#deps = deps;
    this.#host = host;
  }

  /** Starts the host's own worker, unless it is there. */
  startLocal(): void {
    if (this.#local) return;
    const { baseUrl, backend, device, meshFor } = this.#deps;
    const first = { type: 'work', baseUrl, backend, name: '', device, token: '' } as const;
    const trainer = this.#spawn((message) => this.#hearLocal(message), first);
    const { link, port } = this.#host.openLocalLink();
    trainer.post({ type: 'attach', port }, [port]);
    this.#local = { trainer, link, mesh: meshFor?.(trainer) ?? null };
  }

  stopLocal(): void {
    if (!this.#local) return;
    const { mesh, trainer, link } = this.#local;
    this.#local = null;
    mesh?.close();
    trainer.stop();
    this.#host.tellServer({ type: 'unlink', link });
    this.#host.onNote(null);
  }

  startEvaluator(): void {
    if (this.#evaluator) return;
    const { baseUrl, backend } = this.#deps;
    const { port1, port2 } = new MessageChannel();
    this.#evaluator = this.#spawn(() => {}, { type: 'evaluate', baseUrl, backend, port: port1 }, [port1]);
    this.#host.tellServer({ type: 'evaluator', port: port2 }, [port2]);
  }

  /** Takes one step of such an experiment apart, in a thread of its own. */
  profile(experiment: Experiment): Promise<StepProfile> {
    const { baseUrl, backend, spawnTrainer } = this.#deps;
    return new Promise((resolve, reject) => {
      const trainer: Thread<ToTrainer> = spawnTrainer({
        onMessage(message) {
          if (message.type !== 'profiled' && message.type !== 'profile-failed') return;
          trainer.stop();
          if (message.type === 'profiled') resolve(message.profile);
          else reject(new Error(message.text));
        },
        onError: (text) => reject(new Error(`the step could not be taken apart: ${text}`)),
      });
      trainer.post({ type: 'profile', baseUrl, backend, experiment });
    });
  }

  close(): void {
    this.#local?.mesh?.close();
    this.#local?.trainer.stop();
    this.#evaluator?.stop();
  }

  #spawn(
    onMessage: (message: FromTrainer) => void,
    first: ToTrainer,
    transfer: Transferable[] = [],
  ): Thread<ToTrainer> {
    const { spawnTrainer, remedy } = this.#deps;
    const onError = (text: string) =>
      this.#host.onNote({ kind: 'broken', text: `A trainer thread stopped: ${text || 'it did not start'}. ${remedy}` });
    const trainer = spawnTrainer({ onMessage, onError });
    trainer.post(first, transfer);
    return trainer;
  }

  #hearLocal(message: FromTrainer): void {
    switch (message.type) {
      case 'view': {
        const { stage } = message.change;
        if (stage)
          this.#host.onNote(stage.kind === 'preparing' ? { kind: 'busy', text: preparingWords[stage.what] } : null);
        return;
      }
      case 'peers':
      case 'signal':
        return this.#local?.mesh?.hear(message);
      case 'ended': {
        const { trouble } = message;
        this.stopLocal();
        this.#host.onLocalEnd();
        if (!trouble || trouble.code === 'closed' || trouble.code === 'link-lost') return;
        const why = 'detail' in trouble ? trouble.detail : trouble.code;
        return this.#host.onNote({ kind: 'broken', text: `The host stopped training: ${why}` });
      }
      case 'profiled':
      case 'profile-failed':
        // The worker is never asked for a profile.
        return;
      default:
        message satisfies never;
    }
  }
}
