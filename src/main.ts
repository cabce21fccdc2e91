import { defaultExperiment, type Experiment, experimentFromQuery, experimentToQuery } from './core/config.ts';
import { deviceCheck, deviceName, screenKeeper } from './device.ts';
import { runReport } from './export/run-report.ts';
import { tabHost } from './host/tab-host.ts';
import { type BackendChoice, backendChoices } from './models/backend.ts';
import { resolveExperiment } from './models/plan.ts';
import { describeSettings, lanSettings, type NetSettings, serversToQuery, withServersFromQuery } from './net/ice.ts';
import { dial, listen } from './net/peer.ts';
import { ownRoom, readCode } from './room.ts';
import { deleteRun, listRuns, saveRun } from './store/runs.ts';
import { renderBadLinkPage, renderCodePage } from './ui/code-page.tsx';
import { renderHostPage } from './ui/host-page.tsx';
import { renderJoinPage } from './ui/join-page.tsx';
import { workerControl } from './worker/control.ts';

/*
 * The address decides the page: #join=<code>&… is a worker's, #join asks for a code, anything else is a host's, with the
 * experiment in the fragment. Fragments stay in the browser: no server sees who joins what.
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

async function showHost(settings: NetSettings): Promise<void> {
  const [{ code, token }, share] = await Promise.all([ownRoom(), shareUrl()]);
  const backend = readBackend();
  const host = tabHost({
    code,
    baseUrl,
    backend,
    device: deviceName(navigator.userAgent),
    spawnServer,
    spawnTrainer,
    listen: (handlers) => listen(code, settings, { token, ...handlers }),
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
    const pairs: [string, string][] = Object.entries({ join: code, model: asked.model, data: asked.data });
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
      const fragment = [experimentToQuery(changed), extra.toString()].filter(Boolean).join('&');
      history.replaceState(null, '', fragment ? `#${fragment}` : location.pathname);
    },
    joinLink: (_code, asked) => `${share}#${joinQuery(asked)}`,
    openWorkerTab: () => open(`${baseUrl}#${joinQuery(experiment)}`, '_blank', 'noopener'),
    networkWords: describeSettings(settings).join(' '),
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
  const control = workerControl({
    spawnTrainer,
    dial: (signal) => dial(code, settings, signal),
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
    invitation: { code, by: query.get('by')?.slice(0, 24) ?? null, model: query.get('model'), data: query.get('data') },
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
