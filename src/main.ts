import { defaultExperiment, type Experiment, experimentFromQuery, experimentToQuery } from './core/config.ts';
import { deviceCheck, deviceName, screenKeeper } from './device.ts';
import { runReport } from './export/run-report.ts';
import { tabHost } from './host/tab-host.ts';
import { type BackendChoice, backendChoices } from './models/backend.ts';
import { resolveExperiment } from './models/plan.ts';
import { dialer } from './net/dial.ts';
import { deviceFor, type ProvenLink } from './net/handshake.ts';
import { describeSettings, lanSettings, type NetSettings, serversToQuery, withServersFromQuery } from './net/ice.ts';
import { linkInvite } from './net/invite.ts';
import { type Listener, listen } from './net/peer.ts';
import { deviceSecret, isLocalAddress, ownRoom, readCode } from './room.ts';
import { deleteRun, listRuns, saveRun } from './store/runs.ts';
import { renderBadLinkPage, renderCodePage } from './ui/code-page.tsx';
import { renderHostPage } from './ui/host-page.tsx';
import { renderJoinPage } from './ui/join-page.tsx';
import { showRoute } from './ui/notices.tsx';
import { renderSimulatePage } from './ui/simulate-page.tsx';
import { workerControl } from './worker/control.ts';
import { meshOf } from './worker/mesh.ts';

/*
 * The address decides the page: #join=<code>&invite=…&… is a worker's, #join asks for a code, #simulate&… compares
 * strategies in virtual time, anything else is a host's, with the experiment in the fragment. Fragments stay in the browser; of an invite the relay gets the half it checks.
 */

const root = document.getElementById('app') as HTMLElement;
const query = new URLSearchParams(location.hash.slice(1));
const baseUrl = new URL('.', location.href).href;
const hostPageLink = baseUrl;

const spawnTrainer = () => new Worker(new URL('../worker-scripts/trainer.ts', import.meta.url), { type: 'module' });
const spawnServer = () => new Worker(new URL('../worker-scripts/server.ts', import.meta.url), { type: 'module' });

/** Where others find this app: a host page opened as localhost asks its relay for the machine's own address. */
async function shareUrl(): Promise<string> {
  const isLoopback = /^(localhost|127\..*|\[::1\])$/.test(location.hostname);
  if (!isLoopback) return baseUrl;
  try {
    const answer = await fetch(`${baseUrl}addresses.json`, { signal: AbortSignal.timeout(1000) });
    const [first] = (await answer.json()) as unknown[];
    return typeof first === 'string' ? new URL(first).href : baseUrl;
  } catch {
    // Served by something else than a relay: the address bar is all there is.
    return baseUrl;
  }
}

function readBackend(): BackendChoice {
  const asked = query.get('backend');
  return backendChoices.find((choice) => choice === asked) ?? 'auto';
}

/** The STUN and TURN servers that the relay adds, by name, for the page's words. */
async function relayServers(): Promise<NetSettings['iceServers']> {
  try {
    const answer = await fetch(`${baseUrl}ice.json`, { signal: AbortSignal.timeout(1000) });
    const { iceServers } = (await answer.json()) as { iceServers: NetSettings['iceServers'] };
    return iceServers.map(({ urls }) => ({ urls: String(urls) }));
  } catch {
    return [];
  }
}

async function showHost(settings: NetSettings): Promise<void> {
  const [room, share, servers] = await Promise.all([ownRoom(), shareUrl(), relayServers()]);
  const { code, token } = room;
  const backend = readBackend();
  const hostKey = query.get('hostKey');
  let allowsTyping = isLocalAddress(location.hostname);
  let listener: Listener | null = null;
  let links: readonly ProvenLink[] = [];
  const setTerms = () => listener?.setTerms({ secret: room.secret, allowsTyping });
  const host = tabHost({
    code,
    baseUrl,
    backend,
    device: deviceName(navigator.userAgent),
    spawnServer,
    spawnTrainer,
    listen({ onLink, onState }) {
      listener = listen(code, settings, {
        token,
        secret: room.secret,
        allowsTyping,
        hostKey,
        isBanned: room.isBanned,
        onState,
        onLink(link) {
          links = [...links.filter(({ isEnded }) => !isEnded), link];
          onLink(link);
        },
      });
      return listener;
    },
    onRemoved: ({ device }) => room.ban(device),
    meshFor: (trainer) =>
      meshOf((message, transfer) => trainer.post(message, transfer), [...settings.iceServers, ...servers]),
    keepRun: saveRun,
  });
  let experiment: Experiment = defaultExperiment;
  let experimentError: string | null = null;
  try {
    experiment = experimentFromQuery(query);
    resolveExperiment(experiment);
  } catch (error) {
    experiment = defaultExperiment;
    experimentError = `The address holds an experiment that cannot be run. ${(error as Error).message}`;
  }
  const joinQuery = (asked: Experiment) => {
    const invite = linkInvite(room.secret, code, Date.now());
    const pairs: [string, string][] = Object.entries({ join: code, invite, model: asked.model, data: asked.data });
    if (asked.strategy === 'allreduce') pairs.push(['strategy', asked.strategy]);
    if (backend !== 'auto') pairs.push(['backend', backend]);
    return new URLSearchParams([...pairs, ...serversToQuery(settings)]);
  };
  renderHostPage(root, {
    host,
    experiment,
    experimentError,
    onExperimentChange(changed) {
      experiment = changed;
      const extra = new URLSearchParams(serversToQuery(settings));
      if (backend !== 'auto') extra.set('backend', backend);
      if (hostKey !== null) extra.set('hostKey', hostKey);
      const fragment = [experimentToQuery(changed), extra.toString()].filter(Boolean).join('&');
      history.replaceState(null, '', fragment ? `#${fragment}` : location.pathname);
    },
    joinLink: (_code, asked) => `${share}#${joinQuery(asked)}`,
    openWorkerTab: () => open(`${baseUrl}#${joinQuery(experiment)}`, '_blank', 'noopener'),
    networkWords: describeSettings({ ...settings, iceServers: [...settings.iceServers, ...servers] }).join(' '),
    sharing: {
      allowsTyping: () => allowsTyping,
      setAllowsTyping(on) {
        allowsTyping = on;
        setTerms();
      },
      renewInvite() {
        room.renew();
        setTerms();
      },
      relayedLinks: () => links.filter(({ isEnded, route }) => !isEnded && route === 'relayed').length,
    },
    runs: { list: listRuns, remove: deleteRun },
  });
  const report = () => {
    const { run, workers } = host.state;
    if (!run || !host.log) throw new Error('there is no run to report');
    const { userAgent, hardwareConcurrency } = navigator;
    return runReport({ run, workers }, host.log, { userAgent, cores: hardwareConcurrency });
  };
  Object.assign(globalThis, { manyhands: { host, report } });
}

function showJoin(settings: NetSettings, code: string): void {
  const nameKey = 'manyhands name';
  let name = localStorage.getItem(nameKey) ?? '';
  let backend = readBackend();
  const tokenKey = `manyhands token ${code}`;
  const transport = query.get('transport') === 'relay' ? ('relay' as const) : ('auto' as const);
  // This browser gets its name for hosts at the first click, not before.
  let dial: ReturnType<typeof dialer> | null = null;
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
  const control = workerControl({
    iceServers,
    spawnTrainer,
    async dial(signal) {
      dial ??= dialer(target(), settings);
      const link = await dial(signal);
      showRoute(root, link.route);
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
  });
  renderJoinPage(root, {
    control,
    invitation: {
      code,
      by: query.get('by')?.slice(0, 24) ?? null,
      model: query.get('model'),
      data: query.get('data'),
      connectsWorkers: query.get('strategy') === 'allreduce',
    },
    device: deviceCheck(),
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

function showSimulate(): void {
  query.delete('simulate');
  renderSimulatePage(root, {
    query,
    onChange(changed) {
      const rest = changed.toString();
      history.replaceState(null, '', rest ? `#simulate&${rest}` : '#simulate');
    },
    spawn: () => new Worker(new URL('../worker-scripts/simulate.ts', import.meta.url), { type: 'module' }),
    hostPageLink,
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
  if (asked === null) await showHost(settings);
  else if (code) showJoin(settings, code);
  else showCode();
}

await showPage();
