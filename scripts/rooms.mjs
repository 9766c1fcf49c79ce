// Holds the imports of src to the tables in docs/architecture.md, "Who may import whom", and refuses circles of files in src and
// dashboard/src, but for imports of types alone: blocks hold blocks, so that the types of their folders do. Part of `npm run lint`; another folder than this one may be named, for the test of it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

const root = process.argv[2] ?? '.'

/** The rows of the table under these two column heads, by their first cell. */
function table(text, first, second) {
  const lines = text.split('\n')
  const from = lines.indexOf(`| ${first} | ${second} |`)
  if (from === -1) throw new Error(`docs/architecture.md has no table | ${first} | ${second} |`)
  const rows = lines.slice(from + 2)
  const end = rows.findIndex((line) => !line.startsWith('|'))
  const cells = rows.slice(0, end).map((line) => line.split('|').map((cell) => cell.trim()))
  return new Map(cells.map(([, name, list]) => [name, list.split(',').map((item) => item.trim())]))
}

const architecture = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const rooms = table(architecture, 'room', 'may import')
const packages = table(architecture, 'package', 'known in')
const shared = new Set(
  (/shared by all rooms \(([^)]+)\)/.exec(architecture)?.[1] ?? '')
    .split(',')
    .map((name) => name.replace(/[\s`]/g, '')),
)

/** `delivery/ledger/state.ts` → `delivery/ledger`, where the table has such a room, or `delivery`; a file's own name in src. */
function roomOf(file) {
  const [first, second] = file.split('/')
  if (second === undefined) return first.replace(/\.ts$/, '')
  return rooms.has(`${first}/${second}`) ? `${first}/${second}` : first
}

const within = (file, place) => file === `${place}.ts` || file.startsWith(`${place}/`)

/** Of static and dynamic imports, what is imported. @param types whether what is imported as types alone counts */
const imported = (text, types = true) =>
  [...text.matchAll(/(?:^|\n)(?:import|export)\b(?:[^'"`;=]*?\bfrom)?\s*'([^']+)'|\bimport\(\s*'([^']+)'/g)]
    .filter(([statement]) => types || !/^\n?(?:import|export) type\b/.test(statement))
    .map(([, fixed, dynamic]) => fixed ?? dynamic)

/** Why `file` may not import `target`, another file of src; undefined where it may. */
function objection(file, target) {
  const [from, to] = [roomOf(file), roomOf(target)]
  const [house] = from.split('/')
  if (from === to || shared.has(to)) return undefined
  if (to === 'app' && from !== 'main') return 'only main.ts imports app'
  if (from === 'main' || from === 'app') return undefined
  // Directly in a room that is divided: shared by its parts, or composing them.
  if (from === house && to.startsWith(`${house}/`)) return undefined
  if (to === house) return undefined
  if (!rooms.has(from)) return `${from} has no row in the table of docs/architecture.md`
  const allowed = rooms.get(from)
  // A part of another room counts as that room, one of its own by its name.
  if (allowed.includes(to) || (!to.startsWith(`${house}/`) && allowed.includes(to.split('/')[0])))
    return undefined
  return `${from} may not import ${to}`
}

const files = readdirSync(join(root, 'src'), { recursive: true }).filter(
  (file) => file.endsWith('.ts') && !within(file, 'database/generated'),
)
const problems = []
/** The files that each file imports, by their paths. */
const graph = new Map()

for (const file of files.sort()) {
  const text = readFileSync(join(root, 'src', file), 'utf8')
  for (const name of imported(text)) {
    if (name.startsWith('.')) {
      const target = normalize(join(dirname(file), name))
      const why = objection(file, target)
      if (why) problems.push(`src/${file} imports src/${target}: ${why}`)
      continue
    }
    const homes = packages.get(name)
    if (homes && !homes.some((home) => within(file, home)))
      problems.push(`src/${file} imports ${name}, which is known in ${homes.join(' and ')} alone`)
  }
  const local = imported(text, false).filter((name) => name.startsWith('.'))
  graph.set(
    `src/${file}`,
    local.map((name) => `src/${normalize(join(dirname(file), name))}`),
  )
}

// The page is a program of its own, which speaks to the API alone. It shares the client's calls, the helpers of `lib`,
// and the reading of Word documents.
const pageFiles = existsSync(join(root, 'dashboard/src'))
  ? readdirSync(join(root, 'dashboard/src'), { recursive: true }).filter((file) => /\.tsx?$/.test(file))
  : []
for (const file of pageFiles.sort()) {
  const targets = imported(readFileSync(join(root, 'dashboard/src', file), 'utf8'))
    .filter((name) => name.startsWith('.'))
    .map((name) => normalize(join('dashboard/src', dirname(file), name)))
  for (const target of targets)
    if (!/^(?:dashboard\/|src\/client\/|src\/lib\/|src\/formats\/docx\.ts$)/.test(target))
      problems.push(`dashboard/src/${file} imports ${target}: the page imports nothing else of Galley's`)
  graph.set(`dashboard/src/${file}`, targets)
}

/** Files whose imports have been walked to their ends. */
const done = new Set()
function walk(file, path) {
  const met = path.indexOf(file)
  if (met !== -1) problems.push(`a circle: ${[...path.slice(met), file].join(' → ')}`)
  if (met !== -1 || done.has(file)) return
  for (const target of graph.get(file) ?? []) walk(target, [...path, file])
  done.add(file)
}
for (const file of graph.keys()) walk(file, [])

for (const problem of problems) console.error(problem)
if (problems.length > 0) {
  console.error('docs/architecture.md, "Who may import whom", says who may import what.')
  process.exit(1)
}
console.log(`The imports of ${files.length + pageFiles.length} files are as docs/architecture.md says.`)
