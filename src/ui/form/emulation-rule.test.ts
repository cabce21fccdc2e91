import { expect, test } from 'vitest';
import { conditionsFor, parseEmulation, unhindered } from '../../experiment/emulation.ts';
import { emptyRule, type RuleDraft, rulesOf, ruleText } from './emulation-rule.ts';

const text = (filled: Partial<RuleDraft>) => ruleText({ ...emptyRule, ...filled });

test('a rule that was filled in reads back as those conditions', () => {
  const rule = text({ who: '4', slow: '10', latency: '40', mbps: '2.5', loss: '7', cut: '30', poison: '-10' });
  expect(rule).toBe('4:slow=10,latency=40,mbps=2.5,loss=0.07,cut=30,poison=-10');
  expect(conditionsFor(parseEmulation(rule), 4)).toEqual({
    slow: 10,
    latencyMs: 40,
    mbps: 2.5,
    loss: 0.07,
    cutEverySeconds: 30,
    poison: -10,
  });
  expect(conditionsFor(parseEmulation(rule), 3)).toEqual(unhindered);
});

test('what is left empty is left alone, and nobody named is everyone', () => {
  expect(text({ who: ' 1 - 4 ', latency: ' 40 ' })).toBe('1-4:latency=40');
  expect(text({ who: '', slow: '2' })).toBe('*:slow=2');
});

test('a slow server is a rule of its own, whomever the others are about', () => {
  expect(text({ who: '3', apply: '20' })).toBe('host:apply=20');
  expect(text({ who: '3', slow: '2', apply: ' 20 ' })).toBe('3:slow=2 host:apply=20');
});

test('a rule that cannot be read says why', () => {
  expect(() => text({})).toThrow('Fill in what should be different');
  expect(() => text({ slow: '0.5' })).toThrow('from 1 to 1000');
  expect(() => text({ loss: 'much' })).toThrow('loss takes a number');
  expect(() => text({ who: 'Ada', slow: '2' })).toThrow('names no workers');
});

test('the rules of a text come one by one with their words', () => {
  expect(rulesOf(' 4:slow=10  *:latency=40 ')).toEqual([
    { text: '4:slow=10', words: 'worker 4: 10 times slower' },
    { text: '*:latency=40', words: 'everyone: 40 ms latency' },
  ]);
  expect(rulesOf('')).toEqual([]);
  expect(rulesOf('4:fast=2')).toBeNull();
});
