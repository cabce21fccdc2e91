/** Text that is already HTML or SVG; only `markup` makes it, so nothing from people gets in unescaped. */
export class Markup {
  readonly text: string;

  constructor(strings: readonly string[], parts: readonly Part[]) {
    this.text = strings.map((string, at) => string + partText(parts[at] ?? null)).join('');
  }
}

type Part = Markup | string | number | null | readonly Part[];

/** Puts markup together: strings among the values are escaped, for text and for quoted attributes alike. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup => new Markup(strings, parts);

function partText(part: Part): string {
  if (part === null) return '';
  if (part instanceof Markup) return part.text;
  if (typeof part === 'object') return part.map(partText).join('');
  return escaped(String(part));
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
// What XML cannot hold at all, escaped or not: an SVG file with one of these does not open.
const unspeakable = /[\p{Cc}\ufffe\uffff]/gu;

const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replace(unspeakable, (char) => ('\t\n\r'.includes(char) ? char : '�'))
    .replace(/[&<>"']/g, (char) => entities[char] ?? char);
