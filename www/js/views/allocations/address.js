// The table in the address: of=made&order=size-,alloc&groups=site
import { addAddressPart } from '../../address.js';
import { COLUMNS } from './columns.js';
import { GROUPS, OFS, setTable, tableOf } from './view.js';

/** @param {string|null} text `size-,alloc`: with a minus the largest first */
function orderOf(text) {
  const keys = (text || '').split(',').slice(0, 4).map((each) => ({ column: each.replace(/-$/, ''), down: each.endsWith('-') }));
  const known = keys.filter((key, index) => COLUMNS.some(({ id }) => id === key.column) && keys.findIndex(({ column }) => column === key.column) === index);
  return known.length ? known : [{ column: 'size', down: true }];
}

export function initTableAddress() {
  addAddressPart({
    write(parts, sight) {
      const table = tableOf(sight);
      if (table.of !== 'peak') parts.set('of', table.of);
      const order = table.sort.map(({ column, down }) => `${column}${down ? '-' : ''}`).join();
      if (order !== 'size-') parts.set('order', order);
      if (table.group) parts.set('groups', table.group);
    },
    read(parts) {
      setTable({ of: OFS.find((each) => each === parts.get('of')) ?? 'peak', sort: orderOf(parts.get('order')), group: GROUPS[/** @type {''} */ (parts.get('groups') || '')] ? parts.get('groups') || '' : '', open: [] });
    },
  });
}
