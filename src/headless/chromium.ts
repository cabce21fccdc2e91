import { execFile } from 'node:child_process';
import { promises as fs } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { errorText } from '../experiment/error-text.ts';

const isRoot = process.getuid?.() === 0;

const commandNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'msedge'];

/** Where browsers install themselves on systems that do not put them on PATH. */
function usualPlaces(): string[] {
  if (process.platform === 'darwin') {
    return ['', process.env.HOME ?? ''].flatMap((root) => [
      `${root}/Applications/Google Chrome.app/Contents/MacOS/Google Chrome`,
      `${root}/Applications/Chromium.app/Contents/MacOS/Chromium`,
      `${root}/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge`,
    ]);
  }
  if (process.platform === 'win32') {
    const roots = [process.env.PROGRAMFILES, process.env['PROGRAMFILES(X86)'], process.env.LOCALAPPDATA];
    return roots.flatMap((root) =>
      root === undefined
        ? []
        : [
            join(root, 'Google/Chrome/Application/chrome.exe'),
            join(root, 'Chromium/Application/chrome.exe'),
            join(root, 'Microsoft/Edge/Application/msedge.exe'),
          ],
    );
  }
  return ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/opt/google/chrome/chrome', '/snap/bin/chromium'];
}

function placesOnPath(name: string): string[] {
  const suffix = process.platform === 'win32' ? '.exe' : '';
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => join(folder, name + suffix));
}

const canRun = (path: string): Promise<boolean> =>
  fs.access(path, fs.constants.X_OK).then(
    () => true,
    () => false,
  );

async function firstThatRuns(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await canRun(path)) return path;
  return undefined;
}

/**
 * The path of a Chromium or Chrome on this machine: MANYHANDS_CHROMIUM if set, else an installed one, else the one
 * Playwright has downloaded. Rejects when there is none.
 */
export async function findChromium(): Promise<string> {
  const asked = process.env.MANYHANDS_CHROMIUM;
  if (asked !== undefined && asked !== '') {
    if (await canRun(asked)) return asked;
    throw new Error(`MANYHANDS_CHROMIUM is "${asked}", which is not a program: set it to a Chromium or unset it`);
  }
  const { chromium } = await import('playwright-core');
  const places = [...commandNames.flatMap(placesOnPath), ...usualPlaces(), chromium.executablePath()];
  const found = await firstThatRuns(places);
  if (found !== undefined) return found;
  throw new Error(
    'found no Chromium or Chrome on this machine: install one, or set MANYHANDS_CHROMIUM to the path of its program',
  );
}

async function run(command: string, args: string[], log: (line: string) => void, env = process.env): Promise<void> {
  const line = `${command} ${args.join(' ')}`;
  log(line);
  // npx is a .cmd file on Windows, which only a shell can start; the arguments are constants of this file.
  const options = { env, shell: process.platform === 'win32', maxBuffer: 1 << 28 };
  await promisify(execFile)(command, args, options).catch(({ code, stdout, stderr }) => {
    throw new Error(`"${line}" ended with ${code}:\n${`${stdout}${stderr}`.slice(-2000).trim()}`);
  });
}

async function installPackage(log: (line: string) => void): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  await run('apt-get', ['update'], log, env);
  // Without its recommended packages Chromium comes with no font, and pages would measure and show empty boxes.
  await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'], log, env);
}

async function install(log: (line: string) => void): Promise<void> {
  if (isRoot && process.platform === 'linux' && (await firstThatRuns(placesOnPath('apt-get')))) {
    try {
      return await installPackage(log);
    } catch (error) {
      // Not every system with apt-get has a package of this name.
      log(errorText(error));
    }
  }
  await run('npx', ['playwright', 'install', 'chromium'], log);
}

/**
 * Finds a Chromium or installs one: Debian's package where apt-get may be used, Playwright's download elsewhere.
 * A wrong MANYHANDS_CHROMIUM is an error, never a reason to install.
 */
export async function ensureChromium(log: (line: string) => void): Promise<string> {
  const found = await findChromium().catch((error: Error) => error);
  if (typeof found === 'string') return found;
  if (process.env.MANYHANDS_CHROMIUM) throw found;
  log('no Chromium on this machine: installing one');
  try {
    await install(log);
    return await findChromium();
  } catch (cause) {
    const todo = 'Install Chrome or Chromium by hand, or set MANYHANDS_CHROMIUM.';
    throw new Error(`could not install a Chromium. ${todo}\n${errorText(cause)}`, { cause });
  }
}

/**
 * Arguments for a Chromium that is driven by a program: quiet on the network, real addresses in WebRTC.
 * `webgpu: 'swiftshader'` gives WebGPU without a GPU (correct, slow); 'default' leaves WebGPU to the machine.
 */
export function chromiumArgs({ webgpu = 'default' }: { webgpu?: 'swiftshader' | 'default' } = {}): string[] {
  return [
    ...(isRoot ? ['--no-sandbox'] : []),
    ...(webgpu === 'swiftshader' ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] : []),
    // Without it two browsers on one machine only see each other as .local names that nothing resolves.
    '--disable-features=WebRtcHideLocalIpsWithMdns',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ];
}
