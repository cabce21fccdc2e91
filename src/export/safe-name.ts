/** Names that Windows keeps for devices. */
const devices = /^(con|prn|aux|nul|com\d|lpt\d)$/i;
/** Well within every limit, and short enough to read. */
const MAX_LENGTH = 48;

/** A name for a file or folder, whatever was typed: letters of ASCII, digits and single dashes, at least one. */
export function safeName(text: string): string {
  const dashed = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9]+/g, '-');
  const name = dashed.replace(/^-/, '').slice(0, MAX_LENGTH).replace(/-$/, '');
  if (name === '') return 'unnamed';
  return devices.test(name) ? `${name}-0` : name;
}

/** Makes each name it is given safe and unlike all before, also where capitals do not count. */
export function uniqueNames(): (text: string) => string {
  const taken = new Set<string>();
  return (text) => {
    const safe = safeName(text);
    let name = safe;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${safe}-${n}`;
    taken.add(name.toLowerCase());
    return name;
  };
}
