import { watchProcesses } from '../src/headless/process-sampler.ts';
import { expect, test } from './fixtures.ts';

test.skip(process.platform !== 'linux', 'only Linux tells all of it');

test('each tab is seen by the system as its own process, and one that dies leaves the others watched', async ({
  browser,
  tabs,
}) => {
  const [idle, busy, dying] = [await tabs.watch(''), await tabs.watch('#join'), await tabs.watch('#join')];
  const pages = [
    { node: 'host', worker: null, page: idle.page },
    { node: 'worker 1', worker: 1, page: busy.page },
    { node: 'worker 2', worker: 2, page: dying.page },
  ];
  await busy.page.evaluate(() => {
    const turn = () => {
      const untilMs = performance.now() + 90;
      while (performance.now() < untilMs);
      setTimeout(turn, 10);
    };
    turn();
  });
  const startedAtMs = Date.now();
  const watch = await watchProcesses({ browser, pages: () => pages, startedAtMs: () => startedAtMs, everyMs: 300 });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  dying.page.goto('chrome://crash').catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const nodes = await watch.stop();
  const of = (name: string) => nodes.find(({ node }) => node === name)?.samples ?? [];
  expect(nodes.map(({ node }) => node).sort()).toEqual(['browser', 'host', 'machine', 'worker 1', 'worker 2']);
  const cores = (name: string) => {
    const shares = of(name).flatMap(({ cpu }) => cpu ?? []);
    return shares.reduce((sum, share) => sum + share, 0) / shares.length;
  };
  // Beside others on the machine a tab may not get the core that it asks for.
  expect(cores('worker 1')).toBeGreaterThan(0.2);
  expect(cores('worker 1')).toBeGreaterThan(2 * cores('host'));
  expect(cores('machine')).toBeGreaterThan(cores('worker 1') * 0.9);
  expect(of('host').at(-1)?.memoryBytes).toBeGreaterThan(20e6);
  expect(of('host').at(-1)?.readBytes).not.toBeNull();
  expect(of('worker 2').length).toBeLessThan(of('worker 1').length - 2);
  expect(of('worker 1').length).toBeGreaterThan(5);
});
