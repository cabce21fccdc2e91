import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../src/headless/chromium.ts';

/*
 * Machines are network namespaces, each with a network of its own and a cable to one router, which is a namespace too:
 *
 *   <machine n>  eth0 10.77.n.2, default route ──── <machine n> 10.77.n.1  router
 *
 * Nothing is made outside them, so that removing the namespaces removes it all.
 */

const run = promisify(execFile);
const ip = async (...args: string[]): Promise<string> => (await run('ip', args)).stdout;

const PREFIX = 'manyhands-';
const ROUTER = 'router';

/** Why this machine cannot have network namespaces, in one line; null if it can. Installs `ip` where apt-get may. */
export async function whyNoNamespaces(): Promise<string | null> {
  if (process.platform !== 'linux') return `network namespaces are Linux’s; this is ${process.platform}`;
  if (process.getuid?.() !== 0) return 'only root may make network namespaces: run the tests as root';
  try {
    await run('ip', ['-V']).catch(installIp);
    const probe = await Network.make(['probe']);
    await probe.remove();
    return null;
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    return (stderr || message).trim().replace(/\s*\n\s*/g, ' · ');
  }
}

async function installIp(): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run('apt-get', ['update'], { env });
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'iproute2'], { env });
  } catch (cause) {
    throw new Error('the program ip is missing and could not be installed: install iproute2', { cause });
  }
}

/** Machines that reach each other through one router, and what is started on them. `remove` undoes everything. */
export class Network {
  readonly #machines: readonly string[];
  readonly #prefix: string;
  readonly #children = new Set<ChildProcess>();
  readonly #browsers: Browser[] = [];
  readonly #folders: string[] = [];

  private constructor(machines: readonly string[]) {
    this.#machines = machines;
    this.#prefix = `${PREFIX}${process.pid}-`;
  }

  /** Makes these machines; also removes those that a killed test has left behind. */
  static async make(machines: readonly string[]): Promise<Network> {
    await removeOrphans();
    const network = new Network(machines);
    try {
      await network.#connect();
      return network;
    } catch (error) {
      await network.remove();
      throw error;
    }
  }

  async #connect(): Promise<void> {
    const router = this.#nameOf(ROUTER);
    for (const machine of [ROUTER, ...this.#machines]) {
      await ip('netns', 'add', this.#nameOf(machine));
      await ip('-n', this.#nameOf(machine), 'link', 'set', 'dev', 'lo', 'up');
    }
    for (const machine of this.#machines) {
      const name = this.#nameOf(machine);
      const gateway = this.addressOf(machine).replace(/\d+$/, '1');
      await ip('link', 'add', 'eth0', 'netns', name, 'type', 'veth', 'peer', 'name', machine, 'netns', router);
      await ip('-n', router, 'addr', 'add', `${gateway}/24`, 'dev', machine);
      await ip('-n', router, 'link', 'set', 'dev', machine, 'up');
      await ip('-n', name, 'addr', 'add', `${this.addressOf(machine)}/24`, 'dev', 'eth0');
      await ip('-n', name, 'link', 'set', 'dev', 'eth0', 'up');
      await ip('-n', name, 'route', 'add', 'default', 'via', gateway);
    }
    await run('ip', ['netns', 'exec', router, 'sh', '-c', 'echo 1 > /proc/sys/net/ipv4/ip_forward']);
    for (const machine of this.#machines) await this.#plugged(machine);
  }

  /** The system takes up to a second to notice a cable; until then programs are told of no address. */
  async #plugged(machine: string): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if ((await ip('-n', this.#nameOf(machine), 'link', 'show', 'dev', 'eth0')).includes('state UP')) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the cable of the machine ${machine} did not come up`);
  }

  addressOf(machine: string): string {
    return `10.77.${this.#machines.indexOf(machine) + 1}.2`;
  }

  /** The router drops UDP between these two without a word, as firewalls do; gives the way to let it through again. */
  async blockUdp(one: string, other: string): Promise<() => Promise<void>> {
    const rules = [
      ['iif', one, 'to', this.addressOf(other), 'ipproto', 'udp', 'blackhole'],
      ['iif', other, 'to', this.addressOf(one), 'ipproto', 'udp', 'blackhole'],
    ];
    const change = async (verb: 'add' | 'del') => {
      for (const rule of rules) await ip('-n', this.#nameOf(ROUTER), 'rule', verb, ...rule);
    };
    await change('add');
    return () => change('del');
  }

  /** How many bytes went over this machine's cable so far, both ways together. */
  async carriedBytes(machine: string): Promise<number> {
    const shown = await ip('-n', this.#nameOf(machine), '-json', '-stats', 'link', 'show', 'dev', 'eth0');
    const [link] = JSON.parse(shown) as [{ stats64: Record<'rx' | 'tx', { bytes: number }> }];
    return link.stats64.rx.bytes + link.stats64.tx.bytes;
  }

  /** Starts Node on this machine. */
  node(machine: string, args: readonly string[]): ChildProcess {
    const child = spawn('ip', ['netns', 'exec', this.#nameOf(machine), process.execPath, ...args]);
    this.#children.add(child);
    child.once('exit', () => this.#children.delete(child));
    return child;
  }

  /** Starts a Chromium on this machine. Playwright talks to it through pipes, which know no networks. */
  async browser(machine: string, args: readonly string[]): Promise<Browser> {
    const script = join(await this.folder(), 'chromium');
    const program = await findChromium();
    await writeFile(script, `#!/bin/sh\nexec ip netns exec ${this.#nameOf(machine)} '${program}' "$@"\n`);
    await chmod(script, 0o755);
    // As people's browsers are: a page's own address is hidden from it.
    const usual = chromiumArgs().filter((arg) => !arg.startsWith('--disable-features='));
    const browser = await chromium.launch({ executablePath: script, args: [...usual, ...args] });
    this.#browsers.push(browser);
    return browser;
  }

  /** A new folder that goes with the network. */
  async folder(): Promise<string> {
    const made = await mkdtemp(join(tmpdir(), PREFIX));
    this.#folders.push(made);
    return made;
  }

  /** Ends what was started and removes every machine, whatever state the network is in. */
  async remove(): Promise<void> {
    await Promise.allSettled(this.#browsers.map((browser) => browser.close()));
    await Promise.all(
      [...this.#children].map((child) => {
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill('SIGKILL');
        return gone;
      }),
    );
    for (const machine of [...this.#machines, ROUTER]) await ip('netns', 'del', this.#nameOf(machine)).catch(() => {});
    for (const folder of this.#folders) await rm(folder, { recursive: true, force: true });
  }

  #nameOf(machine: string): string {
    return this.#prefix + machine;
  }
}

async function removeOrphans(): Promise<void> {
  for (const line of (await ip('netns', 'list')).split('\n')) {
    const [, name, pid] = /^(manyhands-(\d+)-\w+)/.exec(line) ?? [];
    if (name !== undefined && !isAlive(Number(pid))) await ip('netns', 'del', name);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
