import { posix } from 'node:path'

/** What citations are held against. */
export interface Repository {
  /** Every file and folder, from the root; folders end in a slash. */
  paths: ReadonlySet<string>
  read(path: string): string
}

/** Files whose names are cited without their folder. */
const CITED = String.raw`(?:[\w.-]+\/)*[\w-][\w.-]*\.(?:md|tsx?|css|mjs|prisma)`
const inProse = new RegExp(String.raw`(?<![\w/.:@$*<>{}-])(${CITED})(?![\w*<{-]|\.\w)`, 'g')

/** A path from the root, with or without a file at its end: the top folders are ours alone. */
const fromTheRoot =
  /(?<![\w/.:@$*<>{}-])(?:src|test|demo|bench|scripts|prisma|docs|deploy|\.ci)\/[\w./-]*[\w/]/g

/** A page, and the heading there that is meant: `docs/x.md, "Heading"`. */
const withHeading = /([\w./-]+\.md)\)?, "([^"]+)"/g

/** The comments of a program, a line each, of files as their formatters write them. */
export function commentsOf(path: string, text: string): string[] {
  const marks = /\.(?:tsx?|css|mjs|php|prisma)$/.test(path)
    ? /^\s*(?:\/\/+|\/?\*+)(.*)|\s\/\/ (.*)/
    : path.endsWith('.sql')
      ? /^\s*--(.*)/
      : /^\s*#(.*)/
  return text.split('\n').flatMap((line) => {
    const [, whole, behind] = marks.exec(line) ?? []
    const comment = whole ?? behind
    return comment === undefined ? [] : [comment]
  })
}

/** What a comment, or a line of a page, cites that is not there. */
export function missingIn(text: string, { paths, read }: Repository): string[] {
  const missing = new Set<string>()
  for (const [, name = ''] of text.matchAll(inProse)) if (!isThere(name, paths)) missing.add(name)
  for (const [path] of text.matchAll(fromTheRoot))
    if (!paths.has(path) && !paths.has(`${path}/`) && !isThere(path, paths)) missing.add(path)
  for (const [, page = '', heading = ''] of text.matchAll(withHeading)) {
    const found = [...paths].find((path) => path === page || path.endsWith(`/${page}`))
    if (found !== undefined && !headingsOf(read(found)).includes(heading))
      missing.add(`${page}, "${heading}"`)
  }
  return [...missing]
}

/** Whether it is a path from the root, or the end of one. */
const isThere = (name: string, paths: ReadonlySet<string>): boolean => {
  const end = name.replace(/^(?:\.{1,2}\/)+/, '')
  return paths.has(end) || [...paths].some((path) => path.endsWith(`/${end}`))
}

/** What a page cites that is not there: its links, with their anchors, and what it names. */
export function missingInPage(page: string, text: string, repository: Repository): string[] {
  const prose = withoutFences(text)
  const links = [...prose.matchAll(/\]\((?!\w+:)([^)\s]*)\)/g)].map(([, target = '']) => target)
  const broken = links.filter((target) => !leadsSomewhere(page, target, repository))
  return [...broken, ...missingIn(prose.replaceAll(/\]\([^)]*\)/g, ']'), repository)]
}

function leadsSomewhere(page: string, target: string, { paths, read }: Repository): boolean {
  const [relative = '', anchor] = target.split('#')
  const path = relative === '' ? page : posix.join(posix.dirname(page), relative)
  if (!paths.has(path)) return paths.has(`${path}/`) && anchor === undefined
  return anchor === undefined || headingsOf(read(path)).map(anchorOf).includes(anchor)
}

const withoutFences = (text: string): string => text.replaceAll(/^```.*?^```/gms, '')

const headingsOf = (text: string): string[] =>
  [...withoutFences(text).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => heading.replaceAll('`', ''))

/** As hosting sites make it of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
