import { renderUnicodeCompact } from 'uqr';
import { serverExample } from '../net/join/ice.ts';
import { ensureBuilt } from '../node/build.ts';
import { UsageError } from '../node/usage-error.ts';
import { type Certificate, dataFolder, ownCertificate, readCertificate } from '../relay/certificate.ts';
import type { IceOptions } from '../relay/ice-servers.ts';
import { ownNames, type RunningServer, type ServerOptions, startServer } from '../relay/serve.ts';
import { type Command, numberOf, type Options, type OptionValues } from './command-line.ts';

import { nextSignal } from './shutdown.ts';

const USUAL_PORT = 8080;

/** How a relay is reached, what it asks of others and what it keeps: the same for every command that starts one. */
export const relayOptions: Options = {
  port: { value: 'number', describe: `the port; ${USUAL_PORT}, or the next free one, when not given` },
  address: { value: 'address', describe: 'the address to listen on (0.0.0.0: every network of this machine)' },
  https: { describe: 'https, with a certificate of its own that is made once and kept: other machines get WebGPU' },
  cert: { value: 'file', describe: 'https with this certificate (PEM), and its --key' },
  key: { value: 'file', describe: 'the private key of --cert (PEM)' },
  'data-dir': { value: 'folder', describe: 'where things are kept (~/.manyhands, or manyhands in XDG_DATA_HOME)' },
  stun: { value: 'urls', describe: 'STUN servers for all pages, e.g. stun:stun.example.org:3478; commas between' },
  turn: { value: 'urls', describe: 'TURN servers for hosts and invited workers, e.g. turn:turn.example.org:3478' },
  'turn-secret': {
    value: 'secret',
    describe: 'makes credentials that run out (coturn: static-auth-secret); or MANYHANDS_TURN_SECRET is set',
  },
  'turn-user': { value: 'name', describe: 'a fixed TURN user instead, with --turn-credential' },
  'turn-credential': { value: 'password', describe: 'the password of --turn-user' },
  'host-key': {
    value: 'key',
    describe: 'only pages opened with #hostKey=<key> may open rooms; or MANYHANDS_HOST_KEY is set',
  },
  'behind-proxy': { describe: 'take clients’ addresses from X-Forwarded-For, as one proxy in front sets it' },
};

/** Serves the app until the process is told to end. */
export const serveCommand: Command = {
  name: 'serve',
  describe: 'builds the app if need be and serves it, with signalling, on one port',
  options: relayOptions,
  async run(given) {
    const { options, certificate } = await readRelay(given);
    const dist = await ensureBuilt((line) => console.log(line));
    const server = await startServer({ ...options, dist });
    console.log(greeting(server, certificate));
    await nextSignal();
    await server.close();
    return 0;
  },
};

/** What was typed about the relay; every mistake is a UsageError of one line. */
export async function readRelay(
  given: OptionValues,
): Promise<{ options: Omit<ServerOptions, 'dist'>; certificate: Certificate | null }> {
  const port = numberOf(given, 'port', { min: 0, max: 65_535, isWhole: true });
  const address = textOf(given, 'address') ?? '0.0.0.0';
  const signalling = {
    ice: readIce(given),
    hostKey: textOf(given, 'host-key') ?? process.env.MANYHANDS_HOST_KEY ?? null,
    isBehindProxy: given['behind-proxy'] === true,
  };
  const certificate = await readTls(given, address);
  const tries = port === undefined ? 20 : 1;
  const options = { port: port ?? USUAL_PORT, host: address, tries, tls: certificate, signalling };
  return { options, certificate };
}

async function readTls(given: OptionValues, address: string): Promise<Certificate | null> {
  const [cert, key] = [textOf(given, 'cert'), textOf(given, 'key')];
  if (cert !== undefined && key !== undefined) {
    return readCertificate(cert, key).catch((error: Error) => Promise.reject(new UsageError(error.message)));
  }
  if (cert !== undefined || key !== undefined) throw new UsageError('--cert and --key go together: give both');
  if (given.https !== true) return null;
  return ownCertificate(textOf(given, 'data-dir') ?? dataFolder(), ownNames(address), Date.now());
}

function readIce(given: OptionValues): IceOptions {
  const urls = (kind: 'stun' | 'turn') =>
    (textOf(given, kind) ?? '')
      .split(',')
      .filter(Boolean)
      .map((url) => checkedServer(kind, url.trim()));
  const [stun, turn] = [urls('stun'), urls('turn')];
  const [typedSecret, username, credential] = ['turn-secret', 'turn-user', 'turn-credential'].map((name) =>
    textOf(given, name),
  );
  // What is typed shows in the list of processes.
  const secret = typedSecret ?? process.env.MANYHANDS_TURN_SECRET;
  if (turn.length === 0) {
    if (typedSecret ?? username ?? credential) throw new UsageError('TURN credentials need a server: add --turn');
    return { stun, turn, auth: { kind: 'none' } };
  }
  if (secret !== undefined) return { stun, turn, auth: { kind: 'secret', secret } };
  if (username !== undefined && credential !== undefined) {
    return { stun, turn, auth: { kind: 'fixed', username, credential } };
  }
  throw new UsageError(
    '--turn needs --turn-secret, or --turn-user and --turn-credential: TURN servers ask who uses them',
  );
}

function checkedServer(kind: 'stun' | 'turn', url: string): string {
  const example = serverExample(kind, url);
  if (example === null) return url;
  throw new UsageError(`--${kind} "${url}" is not a server: write it like ${example}`);
}

function textOf(given: OptionValues, name: string): string | undefined {
  const value = given[name];
  return typeof value === 'string' ? value : undefined;
}

/** What the terminal shows once the app can be opened. The QR code leads others to join: by that link, else by typing a code. */
export function greeting(
  { url, addresses }: RunningServer,
  certificate: Certificate | null,
  joinLink: string | null = null,
): string {
  const lines = ['', `  Host page       ${url}`];
  const [first] = addresses;
  if (first === undefined) {
    lines.push('  Other machines  none: only this machine can reach that address (--address 0.0.0.0 opens it)');
  } else {
    lines.push(...addresses.map((address, index) => `  ${index ? '              ' : 'Other machines'}  ${address}`));
    lines.push('', renderUnicodeCompact(joinLink ?? `${first}#join`, { border: 2 }).replace(/^/gm, '  '));
    if (joinLink === null) {
      lines.push(
        '',
        '  Others scan this and type the code that the host page shows. Its own links and QR code work elsewhere',
        '  if you open it at an address for other machines.',
      );
    }
    if (certificate === null) {
      lines.push(
        '',
        '  Over plain http, other machines have no WebGPU: they train on WebAssembly. --https changes that.',
      );
    }
  }
  if (certificate?.isSelfSigned) lines.push('', ...warningWords(certificate.fingerprint));
  lines.push('', '  Ctrl+C stops.', '');
  return lines.join('\n');
}

/** What a person needs to know at a browser's warning. */
const warningWords = (fingerprint: string): string[] => [
  '  Each browser warns once (“Your connection is not private”), since nobody but this machine vouches for it:',
  '    Chrome, Edge   Advanced → Proceed to … (unsafe)',
  '    Firefox        Advanced… → Accept the Risk and Continue',
  '    Safari         Show Details → visit this website',
  '  Go on only at the addresses above. To be sure, compare the certificate’s SHA-256 fingerprint:',
  `    ${fingerprint.slice(0, 47)}`,
  `    ${fingerprint.slice(48)}`,
];
