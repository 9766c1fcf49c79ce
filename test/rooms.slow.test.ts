import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

const run = promisify(execFile)

/** What `npm run lint` says of the imports of these files of src, or of dashboard, by the tables of this repository. */
async function judged(files: Record<string, string>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'galley-rooms-'))
  onTestFinished(() => rm(root, { recursive: true }))
  await cp('docs/architecture.md', join(root, 'docs/architecture.md'))
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, file.startsWith('dashboard/') ? '' : 'src', file)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, text)
  }
  return run(process.execPath, ['scripts/rooms.mjs', root]).then(
    ({ stdout }) => stdout,
    ({ stderr }) => stderr,
  )
}

test('imports that the table has are fine', async () => {
  const files = {
    'errors.ts': '',
    'jobs/job.ts': "import { run } from 'graphile-worker'\n",
    'delivery/work.ts': "import { jobs } from './jobs.ts'\nimport { step } from './steps/step.ts'\n",
    'delivery/jobs.ts': "import '../jobs/job.ts'\n",
    'delivery/steps/step.ts': "import { row } from '../ledger/row.ts'\n",
    'delivery/ledger/row.ts': "import type { Job } from '../jobs.ts'\nimport '../../errors.ts'\n",
    'app/galley.ts': "import { work } from '../delivery/work.ts'\n",
    'main.ts': "import { startGalley } from './app/galley.ts'\n",
    'client/generated/api.ts': '',
    'dashboard/src/api/client.ts': "import type { Site } from '../../../src/client/generated/api.ts'\n",
    'dashboard/src/views/sites/list.tsx': "import './list.css'\nimport '../../api/client.ts'\n",
  }
  expect(await judged(files)).toContain('11 files are as docs/architecture.md says')
})

test.each([
  [
    'a room that the table does not give it',
    { 'wordpress/client.ts': "import { row } from '../database/row.ts'\n", 'database/row.ts': '' },
    'wordpress may not import database',
  ],
  [
    'a type of such a room',
    { 'render/state.ts': "import type {\n  Site,\n} from '../sites/site.ts'\n", 'sites/site.ts': '' },
    'render may not import sites',
  ],
  [
    'such a room only when it needs it',
    { 'jobs/job.ts': "const later = () => import('../http/app.ts')\n", 'http/app.ts': '' },
    'jobs may not import http',
  ],
  [
    'what such a room exports, to pass it on',
    { 'sites/index.ts': "export * from '../delivery/work.ts'\n", 'delivery/work.ts': '' },
    'sites may not import delivery',
  ],
  [
    'another part of its own room that the table does not give it',
    { 'delivery/ledger/row.ts': "import '../steps/fill.ts'\n", 'delivery/steps/fill.ts': '' },
    'delivery/ledger may not import delivery/steps',
  ],
  [
    'the process',
    { 'intake/store.ts': "import { startGalley } from '../app/galley.ts'\n", 'app/galley.ts': '' },
    'only main.ts imports app',
  ],
  [
    'a package that another room hides',
    { 'intake/store.ts': "import { run } from 'graphile-worker'\n" },
    'src/intake/store.ts imports graphile-worker, which is known in jobs and database/migrations alone',
  ],
  [
    'a room, though it is shared by all',
    { 'errors.ts': "import './sites/site.ts'\n", 'sites/site.ts': '' },
    'errors may not import sites',
  ],
  [
    'something, though its room is not in the table',
    { 'attic/box.ts': "import '../sites/site.ts'\n", 'sites/site.ts': '' },
    'attic has no row in the table',
  ],
  [
    'a file that imports it',
    {
      'sites/a.ts': "import { b } from './b.ts'\n",
      'sites/b.ts': "import { c } from './c.ts'\n",
      'sites/c.ts': "import { a } from './a.ts'\n",
    },
    'a circle: src/sites/a.ts → src/sites/b.ts → src/sites/c.ts → src/sites/a.ts',
  ],
  [
    'a file of the page that imports it',
    {
      'main.ts': '',
      'dashboard/src/views/sites/form.tsx': "import type { Made } from './list.tsx'\n",
      'dashboard/src/views/sites/list.tsx': "const form = () => import('./form.tsx')\n",
    },
    'a circle: dashboard/src/views/sites/form.tsx → dashboard/src/views/sites/list.tsx → dashboard/src/views/sites/form.tsx',
  ],
  [
    'anything of Galley from the page but the types of the API',
    { 'dashboard/src/api/client.ts': "import '../../../src/sites/site.ts'\n", 'sites/site.ts': '' },
    "dashboard/src/api/client.ts imports src/sites/site.ts: the page imports nothing else of Galley's",
  ],
])('a file may not import %s', async (_, files, complaint) => {
  expect(await judged(files)).toContain(complaint)
})
