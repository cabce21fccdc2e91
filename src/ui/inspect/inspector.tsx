import './inspector.css';
import './timeline/timeline.css';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Host } from '../../host/state.ts';
import { timeOfDay } from '../../observe/format.ts';
import type { HostModel, ShownRun } from '../host/model.ts';
import { ServerCounts } from '../host/server-counts.tsx';
import { runTitle } from '../runs/run-title.ts';
import { BytesTab } from './bytes-table.tsx';
import { OperatorsTab } from './operators.tsx';
import { ResourcesTab } from './resources/resources.tsx';
import { TimelineTab } from './timeline/timeline.tsx';

const tabWords = {
  timeline: 'Timeline',
  resources: 'Resources',
  operators: 'Operators',
  bytes: 'Bytes',
  counts: 'Counts',
} as const;
type TabName = keyof typeof tabWords;
const allTabs = Object.keys(tabWords) as TabName[];

/** Where the choice survives a reload of this tab. */
const KEY = 'manyhands inspector';

/** What the inspector reads of the page it is on. */
export interface InspectorModel extends Pick<HostModel, 'experiment' | 'runs'> {
  readonly deps: { readonly host: Host };
}

/** What will appear in a tab, once there is a run. */
const beforeRun: Readonly<Partial<Record<TabName, string>>> = {
  timeline: 'What each worker and the server did when appears here, step by step, once a run has begun.',
  resources: 'How busy each node is, its memory and its network appear here once a run has begun.',
  bytes: 'What goes to and from each worker appears here once one has joined by the link and a run has begun.',
  counts: 'What the host counts appears here once a run has begun.',
};

function TabPanel({
  tab,
  model,
  run,
}: {
  tab: TabName;
  model: InspectorModel;
  run: ShownRun | undefined;
}): JSX.Element {
  if (tab === 'operators') {
    const experiment = run?.log.experiment ?? model.experiment.value;
    return <OperatorsTab key={run?.log.id} host={model.deps.host} experiment={experiment} run={run} />;
  }
  if (run === undefined) return <p class="empty">{beforeRun[tab]}</p>;
  switch (tab) {
    case 'timeline':
      return <TimelineTab run={run} />;
    case 'resources':
      return <ResourcesTab run={run} />;
    case 'bytes':
      return <BytesTab run={run} />;
    case 'counts':
      return <ServerCounts run={run} />;
    default:
      return tab satisfies never;
  }
}

/** A run from close by: what happened when, what it used, what a step is made of, what was sent. */
export function Inspector({ model, canProfile }: { model: InspectorModel; canProfile: boolean }) {
  const tabs: readonly TabName[] = canProfile ? allTabs : allTabs.filter((name) => name !== 'operators');
  const [chosen, setTab] = useState(() => sessionStorage.getItem(KEY));
  const tab = tabs.find((name) => name === chosen) ?? 'timeline';
  const [picked, setPicked] = useState<string | null>(null);
  const runs = model.runs.value;
  const shown = runs.find(({ log }) => log.id === picked) ?? runs[0];
  const choose = (name: TabName) => {
    setTab(name);
    sessionStorage.setItem(KEY, name);
  };
  const keyed = (event: KeyboardEvent) => {
    const at = tabs.indexOf(tab);
    const steps: Record<string, number> = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const name = tabs[(to + tabs.length) % tabs.length] ?? tab;
    choose(name);
    document.getElementById(`tab-${name}`)?.focus();
  };
  return (
    <section class="inspector" aria-label="Inspector">
      <div class="tab-bar">
        <div role="tablist" aria-label="Views of a run" onKeyDown={keyed}>
          {tabs.map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`tab-${name}`}
              aria-selected={tab === name}
              aria-controls="inspector-panel"
              tabIndex={tab === name ? 0 : -1}
              onClick={() => choose(name)}
            >
              {tabWords[name]}
            </button>
          ))}
        </div>
        {runs.length > 1 && (
          <label class="of-run">
            of{' '}
            <select value={shown?.log.id} onChange={(event) => setPicked(event.currentTarget.value)}>
              {runs.map(({ log, slot }) => (
                <option key={log.id} value={log.id}>
                  {slot === 0 ? 'this run' : timeOfDay(log.startedAtMs)}: {runTitle(log.experiment)}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      <div role="tabpanel" id="inspector-panel" aria-labelledby={`tab-${tab}`}>
        <TabPanel tab={tab} model={model} run={shown} />
      </div>
    </section>
  );
}
