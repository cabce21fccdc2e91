import type { HostState } from '../../host/state.ts';
import { counted } from '../../observe/format.ts';
import type { Plan } from '../lab/plan.ts';
import { tabsHere } from '../lab/tab-trainer.ts';

/** How many runs a lab has, and how many tabs they want beside those that are here. */
export function RunsHeading({ plan, state }: { plan: Extract<Plan, { ok: true }>; state: HostState }) {
  return (
    <h2>
      {counted(plan.runs.length, 'run')}{' '}
      <span class="aside">
        {plan.maxTabs === 0
          ? 'all in this tab'
          : `up to ${counted(plan.maxTabs, 'worker tab')}, ${tabsHere(state)} connected now`}
      </span>
    </h2>
  );
}
