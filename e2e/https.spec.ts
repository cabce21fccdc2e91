import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../src/headless/chromium.ts';
import { dist } from '../src/node/build.ts';
import { ownCertificate } from '../src/relay/certificate.ts';
import { startServer } from '../src/relay/serve.ts';
import { expect, test } from './fixtures.ts';
import { button } from './verbs.ts';

/** A name for loopback that, unlike localhost, is a machine like any other to the browser. */
const NAME = 'classroom.test';

let browser: Browser;
test.beforeAll(async () => {
  const args = [...chromiumArgs(), `--host-resolver-rules=MAP ${NAME} 127.0.0.1`];
  browser = await chromium.launch({ executablePath: await findChromium(), args });
});
test.afterAll(() => browser.close());

/** A page in a context of its own, as after the person has told the browser to go on. */
async function open(url: string) {
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
  await page.goto(url);
  return page;
}

async function openHost(url: string) {
  const host = await open(`${url}#workers=1&backend=wasm`);
  await expect(host.getByText('Room is open')).toBeVisible();
  const link = await host.getByRole('textbox', { name: 'Join link' }).inputValue();
  await host.getByRole('checkbox', { name: 'Train in this tab too' }).uncheck();
  await button(host, 'Start').click();
  return { host, link };
}

test('over https with its own certificate the app is secure, links are https, and tabs train', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manyhands-https-'));
  const tls = await ownCertificate(folder, [NAME], Date.now());
  const server = await startServer({ port: 0, host: '127.0.0.1', dist, tls });
  try {
    const url = `https://${NAME}:${server.port}/`;
    const strict = await (await browser.newContext()).newPage();
    await expect(strict.goto(url)).rejects.toThrow('ERR_CERT_AUTHORITY_INVALID');
    const { host, link } = await openHost(url);
    expect(await host.evaluate(() => isSecureContext)).toBe(true);
    expect(link).toMatch(/^https:.*invite=L/);
    const worker = await open(link);
    await button(worker, 'Contribute').click();
    await expect(worker.getByRole('status')).toContainText('Training');
  } finally {
    await server.close();
    await rm(folder, { recursive: true });
  }
});

test('over http at another name the join page says why WebGPU is off, and trains', async () => {
  const server = await startServer({ port: 0, host: '127.0.0.1', dist });
  try {
    const { host, link } = await openHost(`http://${NAME}:${server.port}/`);
    expect(await host.evaluate(() => isSecureContext)).toBe(false);
    // Not a local address: people may be anywhere, and the code alone lets nobody in.
    await expect(host.getByRole('checkbox', { name: 'The code alone lets people in' })).not.toBeChecked();
    const worker = await open(link);
    await expect(worker.getByRole('main')).toContainText('No WebGPU: browsers allow it over https only');
    await button(worker, 'Contribute').click();
    await expect(worker.getByRole('status')).toContainText('Training');
  } finally {
    await server.close();
  }
});
