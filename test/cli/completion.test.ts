import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { run } from './world.ts'

/** What bash offers for a line, whose last word is under way. */
async function offered(words: string[]): Promise<string[]> {
  const { out } = await run(['completion', 'bash'])
  const script = `${out}
COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}
compopt() { :; }
_galley; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.split('\n').filter((word) => word !== '')
}

test.each([
  [
    ['galley', 'de'],
    ['deliver', 'deliveries'],
  ],
  [['galley', 'sites', 'p'], ['pause']],
  [['galley', '--json', 'sites', 'ad'], ['add']],
  [
    ['galley', 'sites', 'list', '--l'],
    ['--label', '--level', '--limit'],
  ],
  [['galley', 'sites', 'add', 'https://example.com', '--user'], ['--username']],
  [['galley', 'nothing', 'x'], []],
])('bash completes %j with %j', async (words, expected) => {
  expect(await offered(words)).toEqual(expected)
})

test('the words of zsh and fish are those of bash', async () => {
  for (const shell of ['zsh', 'fish']) {
    const { code, out } = await run(['completion', shell])
    expect(code).toBe(0)
    for (const word of ['deliveries', 'pause', shell === 'fish' ? '-l username' : '--username'])
      expect(out).toContain(word)
  }
  expect(await run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh, fish'),
  })
})
