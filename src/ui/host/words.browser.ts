import { afterEach, beforeEach, expect, test } from 'vitest';
import { renderHostPage } from './page.tsx';
import { hostPageDeps, runIn, scriptedHost } from './scripted-host-for-tests.ts';

let root: HTMLElement;
let unmount = () => {};
beforeEach(() => {
  root = document.body.appendChild(document.createElement('div'));
});
afterEach(() => {
  unmount();
  root.remove();
});

function open() {
  const scripted = scriptedHost();
  unmount = renderHostPage(root, hostPageDeps(scripted));
  return scripted;
}
const find = (selector: string): HTMLElement => {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`nothing on the page matches ${selector}`);
  return found;
};
const words = () => find('.status .words').textContent;

test('a field says what it means while it has the focus, and only then', () => {
  open();
  const hint = find('#batch-hint');
  expect(getComputedStyle(hint).display).toBe('none');
  find('#field-batch').focus();
  expect(getComputedStyle(hint).display).not.toBe('none');
  expect(find('#field-batch').getAttribute('aria-describedby')).toBe('batch-hint');
});

test('beside Start it is said why there is no starting', async () => {
  open();
  expect(words()).toMatch(/^Ready to start/);
  const field = find('#field-batch') as HTMLInputElement;
  field.value = '0';
  field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  await expect.poll(words).toMatch(/marked in the form/);
  expect(field.getAttribute('aria-describedby')).toBe('batch-problem');
});

test('a run that nobody computes for does not say that it trains', async () => {
  const { put } = open();
  put({ run: runIn('running'), workers: [] });
  await expect.poll(words).toMatch(/^No worker is ready/);
});
