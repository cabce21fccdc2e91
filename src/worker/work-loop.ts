import { portLink } from '../net/link/port.ts';
import { Session, type SessionDeps, type SessionSettings } from './session.ts';
import type { WorkerView } from './state.ts';
import type { FromTrainer, ToTrainer } from './thread.ts';

/** A page draws at most this often. */
const PUBLISH_MS = 250;

/** Work over one link after another, in the trainer thread: what is loaded stays when a link breaks. */
export function workLoop(
  deps: Omit<SessionDeps, 'publish' | 'connectPeers' | 'hearSignal'>,
  firstToken: string,
  post: (message: FromTrainer) => void,
): (message: ToTrainer) => void {
  const settings: SessionSettings = { intensity: 1, isPaused: false, isFinishing: false };
  let session: Session | null = null;
  let token = firstToken;
  let change: Partial<WorkerView> = {};
  let publishedMs = 0;

  const flush = () => {
    publishedMs = deps.now();
    if (Object.keys(change).length > 0) post({ type: 'view', change });
    change = {};
  };
  // Steps come hundreds of times a second: numbers are gathered, a change of stage goes out at once.
  let stageKind = 'idle';
  const publish = (part: Partial<WorkerView>) => {
    change = { ...change, ...part };
    const isNews = part.stage !== undefined && part.stage.kind !== stageKind && !isFlicker(stageKind, part.stage.kind);
    if (part.stage) stageKind = part.stage.kind;
    if (isNews || deps.now() - publishedMs >= PUBLISH_MS) flush();
  };

  const toPage = {
    publish,
    connectPeers: (calls: readonly number[], expects: readonly number[]) => post({ type: 'peers', calls, expects }),
    hearSignal: (peer: number, data: string) => post({ type: 'signal', peer, data }),
  };

  return (message) => {
    switch (message.type) {
      case 'attach': {
        const link = portLink(message.port);
        const current = new Session(link, token, settings, { ...deps, ...toPage }, (trouble) => {
          token = current.token;
          if (session === current) session = null;
          flush();
          post({ type: 'ended', trouble });
        });
        session = current;
        return;
      }
      case 'set': {
        const { intensity, isPaused, isFinishing } = message;
        const isNews = isPaused !== settings.isPaused || isFinishing !== settings.isFinishing;
        Object.assign(settings, { intensity, isPaused, isFinishing });
        if (isNews) session?.hear({ type: 'settings', isPaused, isFinishing });
        return;
      }
      case 'peer':
        if (session) session.hear(message);
        else portLink(message.port).close();
        return;
      case 'peer-failed':
      case 'signal':
      case 'sample':
      case 'leave':
        return session?.hear(message);
      case 'work':
      case 'evaluate':
      case 'profile':
        return;
      default:
        message satisfies never;
    }
  };
}

/** Between steps a worker waits for a moment; that is no news. */
const isFlicker = (before: string, now: string) =>
  (before === 'training' && now === 'waiting') || (before === 'waiting' && now === 'training');
