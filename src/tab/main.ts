import {
  defaultExperiment,
  type Experiment,
  experimentFromQuery,
  experimentToQuery,
} from '../experiment/experiment.ts';
import { type BackendChoice, backendChoices } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';
import { browserRuntime } from '../net/join/browser-runtime.ts';
import { dialer } from '../net/join/dial.ts';
import { deviceFor } from '../net/join/handshake.ts';
import { lanSettings, type NetSettings, withServersFromQuery } from '../net/join/ice.ts';
import { labStore } from '../store/labs.ts';
import { deleteRun, listRuns, saveRun } from '../store/runs.ts';
import { renderHostPage } from '../ui/host/page.tsx';
import { renderBadLinkPage, renderCodePage } from '../ui/join/code-page.tsx';
import { renderJoinPage } from '../ui/join/page.tsx';
import { renderSimulatePage } from '../ui/simulate/page.tsx';
import { TabWorker } from '../worker/control.ts';
import { deviceCheck, deviceName, screenKeeper, tabGauges } from './device.ts';
import { type HostRoom, type HostRoomDeps, openHostRoom, spawnTrainer } from './host-room.ts';
import { deviceSecret, readCode } from './room.ts';

/*
 * The address decides the page: #join=<code>&invite=…&… is a worker's, #join asks for a code, #simulate&… compares
 * strategies in virtual time, #lab and #lab=<id> run sweeps, anything else is a host's, with the experiment in the
 * fragment. Fragments stay in the browser; of an invite the relay gets the half it checks.
 */

const root = document.getElementById('app') as HTMLElement;
const query = new URLSearchParams(location.hash.slice(1));
const baseUrl = new URL('.', location.href).href;
const hostPageLink = baseUrl;
/** For measuring what the measuring costs. */
const observes = query.get('observe') !== 'off';

function readBackend(): BackendChoice {
  const asked = query.get('backend');
  return backendChoices.find((choice) => choice === asked) ?? 'auto';
}

const openRoom = (settings: NetSettings, keeps: Pick<HostRoomDeps, 'keepRun' | 'resumesRuns'>): Promise<HostRoom> =>
  openHostRoom({ baseUrl, settings, backend: readBackend(), hostKey: query.get('hostKey'), observes, ...keeps });

async function showHost(settings: NetSettings): Promise<void> {
  const room = await openRoom(settings, { resumesRuns: true, keepRun: saveRun });
  const { host, report } = room;
  let experiment: Experiment = defaultExperiment;
  let experimentError: string | null = null;
  try {
    experiment = experimentFromQuery(query);
    resolveExperiment(experiment);
  } catch (error) {
    experiment = defaultExperiment;
    experimentError = `The address holds an experiment that cannot be run. ${(error as Error).message}`;
  }
  renderHostPage(root, {
    host,
    experiment,
    experimentError,
    onExperimentChange(changed) {
      experiment = changed;
      const fragment = [experimentToQuery(changed), room.ownQuery].filter(Boolean).join('&');
      history.replaceState(null, '', fragment ? `#${fragment}` : location.pathname);
    },
    joinLink: (_code, asked) => room.joinLink(asked),
    openWorkerTab: () => room.openWorkerTab(experiment),
    networkWords: room.networkWords,
    sharing: room.sharing,
    runs: { list: listRuns, remove: deleteRun },
  });
  Object.assign(globalThis, { manyhands: { host, report, joinLink: () => room.joinLink(experiment) } });
}

function showJoin(settings: NetSettings, code: string): void {
  const nameKey = 'manyhands name';
  let name = localStorage.getItem(nameKey) ?? '';
  let backend = readBackend();
  const tokenKey = `manyhands token ${code}`;
  const transport = query.get('transport') === 'relay' ? ('relay' as const) : ('auto' as const);
  // This browser gets its name for hosts at the first click, not before.
  let dial: ReturnType<typeof dialer> | null = null;
  let isRelayed = false;
  const iceServers = [...settings.iceServers];
  const target = () => ({
    code,
    invite: query.get('invite'),
    device: deviceFor(deviceSecret(), code),
    transport,
    // In place: connections between workers are made later, with what is in it then.
    onServers: (servers: NetSettings['iceServers']) =>
      void iceServers.splice(settings.iceServers.length, iceServers.length, ...servers),
  });
  const control = new TabWorker({
    iceServers,
    spawnTrainer,
    async dial(signal) {
      dial ??= dialer(browserRuntime, target(), settings);
      const link = await dial(signal);
      isRelayed = link.route === 'relayed';
      return link;
    },
    work: () => ({
      type: 'work',
      baseUrl,
      backend,
      name,
      device: deviceName(navigator.userAgent),
      token: sessionStorage.getItem(tokenKey) ?? '',
    }),
    keepToken: (token) => sessionStorage.setItem(tokenKey, token),
    onActive: screenKeeper(),
    openGauges: observes ? tabGauges : undefined,
  });
  renderJoinPage(root, {
    control,
    invitation: {
      code,
      model: query.get('model'),
      data: query.get('data'),
      connectsWorkers: query.get('strategy') === 'allreduce',
    },
    device: deviceCheck(),
    isRelayed: () => isRelayed,
    hostPageLink,
    initialName: name,
    initialBackend: backend,
    setBackend(choice) {
      backend = choice;
    },
    setName(changed) {
      name = changed.slice(0, 24);
      localStorage.setItem(nameKey, name);
    },
  });
  Object.assign(globalThis, { manyhands: { worker: control } });
}

async function showLab(settings: NetSettings): Promise<void> {
  // Its runs are kept with the lab, not among those of the host page.
  const [room, { renderLabPage }] = await Promise.all([
    openRoom(settings, { resumesRuns: false, keepRun: async () => {} }),
    import('../ui/lab/page.tsx'),
  ]);
  renderLabPage(root, {
    ...room,
    joinLink: (_code, asked) => room.joinLink(asked),
    store: labStore,
    labId: query.get('lab') || null,
    onShow(id) {
      const fragment = [id === null ? 'lab' : `lab=${id}`, room.ownQuery].filter(Boolean).join('&');
      history.replaceState(null, '', `#${fragment}`);
    },
  });
  Object.assign(globalThis, { manyhands: { host: room.host, report: room.report } });
}

function showSimulate(): void {
  query.delete('simulate');
  renderSimulatePage(root, {
    query,
    onChange(changed) {
      const rest = changed.toString();
      history.replaceState(null, '', rest ? `#simulate&${rest}` : '#simulate');
    },
    spawn: () => new Worker(new URL('../../worker-scripts/simulate.ts', import.meta.url), { type: 'module' }),
  });
}

function showCode(): void {
  renderCodePage(root, {
    hostPageLink,
    onCode(typed) {
      const code = readCode(typed);
      if (!code) return 'A code has six letters and digits, as the host’s page shows it.';
      location.hash = `#join=${code}`;
      return null;
    },
  });
}

// Another address in the same tab is another page: start over rather than carry anything along.
addEventListener('hashchange', () => location.reload());

async function showPage(): Promise<void> {
  if (query.has('simulate')) return showSimulate();
  let settings: NetSettings;
  try {
    settings = withServersFromQuery(lanSettings(location), query);
  } catch (error) {
    renderBadLinkPage(root, { problem: (error as Error).message, codePageLink: `${baseUrl}#join`, hostPageLink });
    return;
  }
  const asked = query.get('join');
  const code = readCode(asked ?? '');
  if (query.has('lab')) await showLab(settings);
  else if (asked === null) await showHost(settings);
  else if (code) showJoin(settings, code);
  else showCode();
}

await showPage();
