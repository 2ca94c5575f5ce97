// Holds the database locked until its input ends: hold-lock.ts <path>
import { DatabaseSync } from 'node:sqlite';

const database = new DatabaseSync(process.argv[2] ?? '');
database.exec('BEGIN EXCLUSIVE');
process.stdout.write('locked\n');
process.stdin.resume().on('end', () => {
  database.exec('ROLLBACK');
  database.close();
});
