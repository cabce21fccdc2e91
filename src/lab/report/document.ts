import { counted } from '../../observe/format.ts';
import type { SweepResult } from '../sweep-result.ts';
import { aside, type Block, plain, type ReportDocument, type Section } from './block.ts';
import { testFigures, workerFigures } from './figures/curve-figures.ts';
import { resourceFigures } from './figures/resource-figures.ts';
import { timeFigures } from './figures/time-figures.ts';
import { answer } from './sections/answer.ts';
import { bottleneckSection } from './sections/bottleneck-section.ts';
import { commonWords } from './sections/common-settings.ts';
import { errorTable } from './sections/error-table.ts';
import { gridSection } from './sections/grid-section.ts';
import { machineSection } from './sections/machine-section.ts';
import { notices } from './sections/notices.ts';
import { profileSection } from './sections/profile-section.ts';
import { referencesSection } from './sections/references-section.ts';
import { resourceSection } from './sections/resource-section.ts';
import { settingsSection } from './sections/settings-section.ts';
import { type Subject, subjectOf } from './sections/subject.ts';
import { trafficSection } from './sections/traffic-section.ts';
import { workerSection } from './sections/worker-section.ts';

/** A sweep's whole report, in the order it is read; what nobody measured is left out. */
export function reportDocument(result: SweepResult): ReportDocument {
  const subject = subjectOf(result);
  const { sweep } = result;
  const runs = result.outcomes.length + result.missing.length;
  const shape = [counted(subject.settings.length, 'setting'), counted(runs, 'run'), day(result.startedAt)];
  const question: Block[] = sweep.about === '' ? [] : [plain(sweep.about)];
  return {
    title: sweep.title,
    subtitle: [sweep.name, ...shape].join(' · '),
    opening: [
      ...notices(subject),
      ...question,
      { kind: 'text', tone: 'answer', text: answer(subject) },
      aside(commonWords(subject)),
    ],
    sections: sectionsOf(subject),
  };
}

/** 12 October 2026, never broken over two lines. */
const day = (iso: string): string =>
  new Date(iso)
    .toLocaleDateString('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
    .replaceAll(' ', '\u00a0');

function sectionsOf(subject: Subject): Section[] {
  const hasRuns = subject.settings.some(({ reports }) => reports.length > 0);
  if (!hasRuns) return [settingsSection(subject), machineSection(subject)];
  const all: (Section | null)[] = [
    gridSection(subject),
    settingsSection(subject),
    referencesSection(subject),
    workerSection(subject),
    resourceSection(subject),
    trafficSection(subject),
    section('curves', 'Test loss and accuracy', [...testFigures(subject), ...present(errorTable(subject))]),
    section('worker-curves', 'Loss and accuracy per worker', workerFigures(subject)),
    section('times', 'Times', timeFigures(subject)),
    section('resource-curves', 'Resources over time', resourceFigures(subject)),
    bottleneckSection(subject),
    profileSection(subject),
    machineSection(subject),
  ];
  return all.filter((each) => each !== null);
}

const present = (block: Block | null): Block[] => (block === null ? [] : [block]);
const section = (id: string, title: string, blocks: readonly Block[]): Section | null =>
  blocks.length === 0 ? null : { id, title, blocks };
