/** A title like `sync ×3 · batch 100 · lr 0.5` that breaks into lines between its parts only. */
export const unbroken = (title: string): string => title.replaceAll(/(?<!·) (?!·)/g, '\u00a0');
