import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { commandsOfPage } from './page.ts'

// Commands of docs/operations.md that change a machine: typed for a folder that stands for one.

const machine = mkdtempSync(join(tmpdir(), 'galley-machine-'))
const etc = (path: string): string => join(machine, 'etc', path)
mkdirSync(etc('systemd/system'), { recursive: true })
afterAll(() => rmSync(machine, { recursive: true }))

/** Runs the page's command that begins so, with this beginning instead. */
function typed(beginning: string, instead: string): void {
  const command = commandsOfPage().find((line) => line.startsWith(`${beginning} `)) as string
  execFileSync('sh', ['-c', command.replace(beginning, instead)], { stdio: 'pipe' })
}

test('the user is one of the system, and in the group that the unit names', () => {
  for (const file of ['passwd', 'group', 'shadow', 'gshadow']) writeFileSync(etc(file), '')
  typed('useradd', `useradd --prefix ${machine}`)
  const [, , user, group, , home, shell] = readFileSync(etc('passwd'), 'utf8').trim().split(':')
  expect([home, shell]).toEqual(['/var/lib/galley', '/usr/sbin/nologin'])
  expect(Number(user)).toBeLessThan(1000)
  expect(readFileSync(etc('group'), 'utf8')).toMatch(new RegExp(`^galley:[^:]*:${group}:$`, 'm'))
})

test('the service starts with the machine', () => {
  const unit = new URL('../../../deploy/galley.service', import.meta.url)
  writeFileSync(etc('systemd/system/galley.service'), readFileSync(unit))
  typed('systemctl enable --now', `systemctl --root=${machine} enable`)
  const wanted = readlinkSync(etc('systemd/system/multi-user.target.wants/galley.service'))
  expect(wanted).toBe('/etc/systemd/system/galley.service')
})
