import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { createLogDestination } from '../src/log/log.ts'

const folder = mkdtempSync(join(tmpdir(), 'galley-log-'))
let file: string
let made = 0

beforeEach(() => {
  made += 1
  file = join(folder, `${made}.log`)
})
afterAll(() => rmSync(folder, { recursive: true }))

const answered = (id: number) => `{"req":{"id":${id}},"msg":"request completed"}\n`
const other = '{"msg":"a delivery begins"}\n'
const written = () => readFileSync(file, 'utf8')

test('requests that are answered in one turn of the event loop share a write at its end', async () => {
  const output = createLogDestination(file)
  output.write(answered(1))
  output.write(answered(2))
  expect(written()).toBe('')
  await turn()
  expect(written()).toBe(answered(1) + answered(2))
})

test('any other line is written at once, after what waited', () => {
  const output = createLogDestination(file)
  output.write(answered(1))
  output.write(other)
  expect(written()).toBe(answered(1) + other)
})

test('what somebody else wrote into a line does not make it wait', () => {
  const output = createLogDestination(file)
  const line = `{"name":${JSON.stringify('"msg":"request completed"}')},"msg":"x"}\n`
  output.write(line)
  expect(written()).toBe(line)
})

test('a log that cannot be written stops nobody', () => {
  writeFileSync(file, '')
  const output = createLogDestination(openSync(file, 'r'))
  expect(() => {
    for (let n = 0; n < 2_000; n += 1) output.write(`{"msg":"${'x'.repeat(1_000)}"}\n`)
  }).not.toThrow()
  expect(written()).toBe('')
})
