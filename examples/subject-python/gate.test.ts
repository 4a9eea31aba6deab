import { spawnSync } from 'node:child_process';
import { root } from '../../harness/trial/testing/run-cells.ts';
import { describeForeignGate } from '../testing/foreign-gate.ts';

const needed = 'import fcntl, sqlite3, sys; sys.exit(sys.version_info < (3, 9))';
const canRun = spawnSync('python3', ['-c', needed]).status === 0;

describeForeignGate({
  language: 'python',
  command: ['python3', `${root}/examples/subject-python/gate.py`],
  canRun,
  needs: 'python3, 3.9 or newer, with sqlite3 and fcntl',
});
