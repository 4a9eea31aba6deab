import { spawnSync } from 'node:child_process';
import { root } from '../../harness/trial/testing/run-cells.ts';
import { describeForeignGate } from '../testing/foreign-gate.ts';

const modules = ['JSON::PP', 'Digest::SHA', 'IO::Socket::INET', 'List::Util', 'Time::HiRes'];
const needed = modules.map((module) => `-M${module}`);
const canRun = spawnSync('perl', [...needed, '-e', 'use v5.20']).status === 0;

describeForeignGate({
  language: 'perl',
  command: ['perl', `${root}/examples/subject-perl/gate.pl`],
  canRun,
  needs: 'perl, 5.20 or newer, with its core modules',
});
