import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dataFolder, ownCertificate, readCertificate } from './certificate.ts';

const DAY_MS = 86_400_000;
const names = ['localhost', 'laptop.local', '127.0.0.1', '192.0.2.7', '::1'];

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'certificate-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('is made once and kept, for every name and address, with a key for its owner alone', async () => {
  const place = join(folder(), 'data');
  const first = await ownCertificate(place, names, Date.now());
  const cert = new X509Certificate(first.cert);
  for (const name of names) expect(cert.checkHost(name) ?? cert.checkIP(name), name).toBeDefined();
  expect(cert.checkHost('elsewhere.example')).toBeUndefined();
  expect(Date.parse(cert.validTo) - Date.parse(cert.validFrom)).toBeLessThan(825 * DAY_MS);
  expect(statSync(join(place, 'key.pem')).mode & 0o777).toBe(0o600);
  expect(await ownCertificate(place, names, Date.now())).toEqual(first);
  expect(await ownCertificate(place, ['localhost'], Date.now())).toEqual(first);
});

test('is made anew for an address that it lacks, and before it runs out', async () => {
  const place = folder();
  const first = await ownCertificate(place, names, Date.now());
  const moved = await ownCertificate(place, [...names, '192.0.2.8'], Date.now());
  expect(moved.fingerprint).not.toBe(first.fingerprint);
  const later = await ownCertificate(place, names, Date.now() + 780 * DAY_MS);
  expect(later.fingerprint).not.toBe(moved.fingerprint);
});

test('files that are damaged are replaced', async () => {
  const place = folder();
  await ownCertificate(place, names, Date.now());
  writeFileSync(join(place, 'key.pem'), 'nonsense');
  const made = await ownCertificate(place, names, Date.now());
  expect(readFileSync(join(place, 'key.pem'), 'utf8')).toBe(made.key);
});

test('the user’s own files are taken as a pair or refused in words', async () => {
  const [one, two] = [folder(), folder()];
  const first = await ownCertificate(one, names, Date.now());
  await ownCertificate(two, names, Date.now());
  const [cert, key, otherKey] = [join(one, 'certificate.pem'), join(one, 'key.pem'), join(two, 'key.pem')];
  expect(await readCertificate(cert, key)).toEqual({ ...first, isSelfSigned: false });
  await expect(readCertificate(cert, otherKey)).rejects.toThrow('another certificate');
  await expect(readCertificate(join(one, 'none.pem'), key)).rejects.toThrow(/--cert .*none\.pem.*ENOENT/);
  await expect(readCertificate(key, key)).rejects.toThrow('not a certificate');
});

test('things are kept where the system says, or in the home folder', () => {
  expect(dataFolder({ XDG_DATA_HOME: '/data' })).toBe('/data/manyhands');
  expect(dataFolder({})).toBe(join(homedir(), '.manyhands'));
});
