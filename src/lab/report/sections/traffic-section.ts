import { accounts } from '../../../observe/accounting.ts';
import type { Measured } from '../../measured.ts';
import { aside, plain, type Section } from '../block.ts';
import { megabytes } from '../number-words.ts';
import { capital, mean, tableOf, words } from './columns.ts';
import { ofNode, ofSetting } from './named-columns.ts';
import type { Setting, Subject } from './subject.ts';
import { type TrafficRow, trafficRows } from './traffic.ts';

interface Row extends TrafficRow {
  readonly setting: Setting;
}

const some = (value: Measured | null): Measured | null => (value?.max === 0 ? null : value);

/** Bytes of every node by kind and direction, adding up. */
export function trafficSection({ settings }: Subject): Section {
  const rows = settings.flatMap((setting) => trafficRows(setting).map((row): Row => ({ ...row, setting })));
  const [id, title] = ['bytes', 'Bytes'];
  if (rows.length === 0)
    return { id, title, blocks: [plain('Nothing went over a wire: all work was done in the host’s own tab.')] };
  const table = tableOf<Row>('bytes', 'Bytes by kind and direction', rows, [
    ofSetting,
    ofNode,
    words('Direction', ({ direction }) => direction),
    ...accounts.map((account) => mean<Row>(capital(account), megabytes, ({ byAccount }) => some(byAccount[account]))),
    mean('Total', megabytes, ({ total }) => total),
  ]);
  const note = aside(
    'The host’s rows are its workers’ the other way round. Overhead is what the network counts beyond our own frames: headers, encryption, ' +
      'acknowledgements, retransmissions; – where it does not tell, and then the total is without it. A worker in the host’s own tab has no wire.',
  );
  return { id, title, blocks: [table, note] };
}
