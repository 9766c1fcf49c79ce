import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { run } from './world.ts'

let folder: string
beforeAll(async () => {
  // What happens to lie where somebody types is no word of Galley's.
  folder = await mkdtemp(join(tmpdir(), 'galley-completion-'))
})
afterAll(() => rm(folder, { recursive: true }))

const quoted = (words: string[]) => words.map((word) => `'${word}'`).join(' ')

/** How each shell is asked what it offers for a line, whose last word is under way. */
const asks = {
  bash: (script: string, words: string[]) => `${script}
COMP_WORDS=(${quoted(words)}); COMP_CWORD=${words.length - 1}
compopt() { :; }
_galley; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // What is offered is what compadd is given of it; it compares the beginning by itself.
  zsh: (script: string, words: string[]) => `compdef() { :; }
${script}
compadd() { local word; for word in "\${(@P)2}"; do [[ $word == "$words[CURRENT]"* ]] && print -r -- "$word"; done; }
_files() { :; }
words=(${quoted(words)}); CURRENT=${words.length}
_galley`,
  fish: (script: string, words: string[]) => `${script}
complete -C '${words.join(' ')}'`,
}
type Shell = keyof typeof asks

const isThere = (shell: Shell) => spawnSync(shell, ['-c', 'true']).status === 0
const plain = { bash: ['--norc'], zsh: ['-f'], fish: ['--no-config'] } satisfies Record<Shell, string[]>

async function offered(shell: Shell, words: string[]): Promise<string[]> {
  const { out } = await run(['completion', shell])
  const { stdout, stderr } = spawnSync(shell, [...plain[shell], '-c', asks[shell](out, words)], {
    encoding: 'utf8',
    cwd: folder,
  })
  expect(stderr).toBe('')
  // fish writes what a word means behind a tab.
  return stdout
    .split('\n')
    .map((line) => line.replace(/\t.*/, ''))
    .filter((word) => word !== '')
    .sort()
}

const all = Object.keys(asks) as Shell[]

// Those of the machine; where `.ci/run` installs them, all.
describe.each(process.env.CI ? all : all.filter(isThere))('%s', (shell) => {
  test.each([
    [
      ['galley', 'de'],
      ['deliver', 'deliveries'],
    ],
    [['galley', 'sites', 'p'], ['pause']],
    [['galley', '--json', 'sites', 'ad'], ['add']],
    [['galley', '--url', 'https://galley.example.com', 'sit'], ['sites']],
    [
      ['galley', 'sites', 'list', '--l'],
      ['--label', '--level', '--limit'],
    ],
    [['galley', 'sites', 'add', 'https://example.com', '--user'], ['--username']],
    [['galley', 'sites', 'pause', 'r'], []],
    [['galley', 'deliveries', 'list', '--user'], []],
    [['galley', 'bulk', 'show', 'l'], []],
    [['galley', 'nothing', 'zzz'], []],
  ])('completes %j with %j', async (words, expected) => {
    expect(await offered(shell, words)).toEqual(expected)
  })
})

test('a shell that nobody has heard of is refused', async () => {
  expect(await run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh, fish'),
  })
})
