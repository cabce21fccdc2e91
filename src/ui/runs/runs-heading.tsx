import type { HostState } from '../../host/state.ts';
import { counted } from '../../observe/format.ts';
import { tabsHere } from '../lab/run.ts';
import type { Plan } from '../lab/sweep.ts';

/** How many runs a lab has, and how many tabs they want beside those that are here. */
export function RunsHeading({ plan, state }: { plan: Extract<Plan, { ok: true }>; state: HostState }) {
  return (
    <h2>
      {counted(plan.runs.length, 'run')}{' '}
      <span class="aside">
        {plan.mostTabs === 0
          ? 'all in this tab'
          : `up to ${counted(plan.mostTabs, 'worker tab')}, ${tabsHere(state)} connected now`}
      </span>
    </h2>
  );
}
