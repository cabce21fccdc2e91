import type { Look } from '../../observe/look.ts';
import type { Chart } from './figures/chart.ts';

export type Raw = string | number | null;

/** One cell: as read, and as a CSV file has it, one value for each of its column's names there. */
export interface Cell {
  readonly text: string;
  readonly raw: readonly Raw[];
  /** The colour of what the row is about. */
  readonly look?: Look;
}

export interface Column {
  readonly title: string;
  /** Its columns in a CSV file: a mean with its spread has two. */
  readonly names: readonly string[];
  readonly isNumber: boolean;
}

/** A table whose first column names the row. Cells are as many as columns in every row. */
export interface Table {
  readonly kind: 'table';
  /** Names its CSV file. */
  readonly id: string;
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
}

/** One chart among others that are read together. */
export interface Panel {
  /** What sets it apart from those beside it; empty where its axes say so. */
  readonly title: string;
  readonly chart: Chart;
}

/** Charts with one legend. */
export interface Figure {
  readonly kind: 'figure';
  /** Names its SVG file. */
  readonly id: string;
  readonly caption: string;
  readonly size: 'wide' | 'small';
  readonly panels: readonly Panel[];
}

/** What a report is made of; pages and Markdown are two ways to write it. */
export type Block =
  | { readonly kind: 'text'; readonly tone: 'plain' | 'answer' | 'aside'; readonly text: string }
  /** What a reader must know before believing the rest; `bad` where something went wrong. */
  | { readonly kind: 'notice'; readonly isBad: boolean; readonly text: string; readonly items: readonly string[] }
  | { readonly kind: 'list'; readonly title: string; readonly items: readonly string[] }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [name: string, value: string])[] }
  | { readonly kind: 'code'; readonly text: string }
  /** Short pieces with a title each, beside each other where there is room. */
  | { readonly kind: 'parts'; readonly parts: readonly Part[] }
  | Table
  | Figure;

export interface Part {
  readonly title: string;
  readonly blocks: readonly Block[];
}

export interface Section extends Part {
  readonly id: string;
}

export interface ReportDocument {
  readonly title: string;
  readonly subtitle: string;
  readonly opening: readonly Block[];
  readonly sections: readonly Section[];
}

/** A paragraph. */
export const plain = (text: string): Block => ({ kind: 'text', tone: 'plain', text });
/** A paragraph of small print. */
export const aside = (text: string): Block => ({ kind: 'text', tone: 'aside', text });
