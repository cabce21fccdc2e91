import { createPrivateKey, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { errorText } from '../experiment/error-text.ts';
import { writeWhole } from '../node/files/write-whole.ts';

/** What an HTTPS server shows, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** For people who compare: SHA-256, in pairs of hex digits. */
  readonly fingerprint: string;
  readonly isSelfSigned: boolean;
}

const DAY_MS = 86_400_000;
/** Apple's devices take no certificate of more than 825 days. */
const VALID_MS = 800 * DAY_MS;
/** One that runs out in the middle of a course is replaced before it. */
const SPARE_MS = 30 * DAY_MS;

/** Where this program keeps what outlives it, unless told otherwise. */
export function dataFolder(env: NodeJS.ProcessEnv = process.env): string {
  return env.XDG_DATA_HOME ? join(env.XDG_DATA_HOME, 'manyhands') : join(homedir(), '.manyhands');
}

/**
 * The self-signed certificate of this folder, for these host names and addresses: made at the first start and kept, so
 * that browsers that were told to trust it still do; made anew when it is about to run out or does not cover them all.
 */
export async function ownCertificate(folder: string, names: readonly string[], nowMs: number): Promise<Certificate> {
  const [certFile, keyFile] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  const kept = await readCertificate(certFile, keyFile).catch(() => null);
  if (kept !== null && covers(kept.cert, names, nowMs)) return { ...kept, isSelfSigned: true };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'Manyhands on this network' }], {
    keyType: 'ec',
    algorithm: 'sha256',
    notBeforeDate: new Date(nowMs - DAY_MS),
    notAfterDate: new Date(nowMs + VALID_MS),
    extensions: [
      { name: 'basicConstraints', cA: false },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      {
        name: 'subjectAltName',
        altNames: names.map((name) => (isIP(name) > 0 ? { type: 7, ip: name } : { type: 2, value: name })),
      },
    ],
  });
  await writeWhole(keyFile, key, 0o600);
  await writeWhole(certFile, cert, 0o644);
  return { cert, key, fingerprint: new X509Certificate(cert).fingerprint256, isSelfSigned: true };
}

/** The user's own certificate; rejects in words where the files are no pair of certificate and key. */
export async function readCertificate(certFile: string, keyFile: string): Promise<Certificate> {
  const [cert, key] = await Promise.all([text('--cert', certFile), text('--key', keyFile)]);
  try {
    const read = new X509Certificate(cert);
    if (!read.checkPrivateKey(createPrivateKey(key))) throw new Error('the key belongs to another certificate');
    return { cert, key, fingerprint: read.fingerprint256, isSelfSigned: false };
  } catch (error) {
    throw new Error(`${certFile} and ${keyFile} are not a certificate and its key in PEM: ${errorText(error)}`);
  }
}

async function text(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new Error(`${option} ${file} cannot be read (${(error as NodeJS.ErrnoException).code}): check the path`);
  }
}

function covers(pem: string, names: readonly string[], nowMs: number): boolean {
  const cert = new X509Certificate(pem);
  const isFresh = Date.parse(cert.validFrom) <= nowMs && Date.parse(cert.validTo) > nowMs + SPARE_MS;
  return isFresh && names.every((name) => (isIP(name) > 0 ? cert.checkIP(name) : cert.checkHost(name)) !== undefined);
}
