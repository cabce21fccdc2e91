import { ProgressLine } from '../headless/progress-line.ts';
import { launchBrowser, stageWords, type WorkerGlobal, WorkerTab } from '../headless/tabs.ts';
import { backendChoices } from '../models/backend.ts';
import { UsageError } from '../node/usage-error.ts';
import { count, loss, percent, plainSpaces } from '../observe/format.ts';
import type { WorkerView } from '../worker/state.ts';
import { type Command, wordOf } from './command-line.ts';
import { nextSignal } from './shutdown.ts';

const LOOK_EVERY_MS = 250;
/** A goodbye needs a moment to go out. */
const LEAVE_MS = 3000;

/** Joins a run from a terminal: the same page that a volunteer opens, in a browser without a window. */
export const workerCommand: Command = {
  name: 'worker',
  describe: 'joins a run as a worker, from its join link',
  argument: { name: 'link', describe: 'the join link, as the host shows it' },
  options: {
    name: { value: 'name', describe: 'what the host calls this worker' },
    backend: { value: 'name', describe: `${backendChoices.join(', ')} (auto)` },
    once: { describe: 'leave when the run is over' },
    insecure: { describe: 'take an https certificate that nobody vouches for, as a relay with --https makes one' },
    headed: { describe: 'show the browser' },
  },
  async run(given) {
    const link = readLink(String(given.link ?? ''));
    const backend = wordOf(given, 'backend', backendChoices) ?? 'auto';
    const line = new ProgressLine(process.stderr);
    const told = nextSignal();
    const launch = { isHeaded: given.headed === true, backend };
    const browser = await launchBrowser(launch, (text) => line.note(text), { handlesSignals: false });
    try {
      const tab = await WorkerTab.open(browser, link.page, link.invitation, {
        index: 0,
        backend,
        problem: (text) => line.note(text),
        isInsecure: given.insecure === true,
        ...(typeof given.name === 'string' ? { volunteer: given.name.slice(0, 24) } : {}),
      });
      await tab.contribute();
      return await work(tab, line, told, given.once === true);
    } finally {
      line.end();
      await browser.close();
    }
  },
};

/** Shows how it goes until the worker is told to end, the run is over or it cannot go on. Gives the exit code. */
async function work(tab: WorkerTab, line: ProgressLine, told: Promise<void>, isOnce: boolean): Promise<number> {
  const signal = told.then(() => true);
  for (;;) {
    const view = await tab.view();
    if (view === null) throw new Error('the worker’s page is gone: start the command again');
    if (view.stage.kind === 'broken') {
      const { trouble } = view.stage;
      throw new Error(`this worker cannot go on: ${'detail' in trouble ? trouble.detail : trouble.code}`);
    }
    line.show(viewText(view), performance.now());
    if (view.stage.kind === 'left' || (isOnce && view.stage.kind === 'finished')) return 0;
    const pause = new Promise<false>((resolve) => setTimeout(() => resolve(false), LOOK_EVERY_MS));
    if (!(await Promise.race([signal, pause]))) continue;
    line.note('Leaving: the step under way is handed in first.');
    await leave(tab);
    return 0;
  }
}

async function leave(tab: WorkerTab): Promise<void> {
  await tab.page.evaluate(() => (globalThis as WorkerGlobal).manyhands?.worker.finish());
  const giveUpAtMs = performance.now() + LEAVE_MS;
  while (performance.now() < giveUpAtMs && (await tab.stage()).kind !== 'left') {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A worker in one line: what it does, what it has done, how all are doing. */
function viewText({ stage, identity, backend, steps, examples, lastLoss, group }: WorkerView): string {
  const parts = [
    ...(identity === null ? [] : [identity.name]),
    stageWords(stage),
    ...(backend === null ? [] : [backend.name]),
    ...(steps > 0 ? [`${count(steps)} steps, ${count(examples)} examples`] : []),
    ...(lastLoss === null ? [] : [`loss ${loss(lastLoss)}`]),
    ...(group === null || group.accuracy === null ? [] : [`together ${percent(group.accuracy)}`]),
  ];
  return plainSpaces(parts.join(' · '));
}

function readLink(text: string): { readonly page: string; readonly invitation: string } {
  if (!URL.canParse(text)) throw new UsageError(`"${text}" is not a join link: copy it whole, from http to its end`);
  const url = new URL(text);
  const invitation = url.hash.slice(1);
  if (!/^https?:$/.test(url.protocol) || !new URLSearchParams(invitation).get('join')) {
    throw new UsageError('the link has no #join=…: copy it whole, in quotes, as the host shows it');
  }
  url.hash = '';
  return { page: url.href, invitation };
}
