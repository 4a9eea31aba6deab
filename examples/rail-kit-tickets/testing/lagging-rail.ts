/** The ticket service with lists that lag by more than a trial takes. */
import { railOf } from '../../../adapters/rail-kit/rail-kit.ts';
import { tickets } from '../rail.ts';

if (tickets.list === null) throw new Error('expected the ticket service to list its tickets');

export const createRail = railOf({ ...tickets, list: { ...tickets.list, lagMs: 1_500 } });
