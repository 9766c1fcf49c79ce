import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { bundleProgram } from '../faults/stage/child.ts'
import { startMailServer } from '../notifications/mail-server.ts'

test('bundled as Galley is, its threads work, and so do files in S3, mail and traces', async () => {
  const program = await bundleProgram('test/bundled/program.ts')
  const requests: string[] = []
  const http = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.split('?')[0]}`)
    request.resume().once('end', () => response.end())
  }).listen(0, '127.0.0.1')
  await once(http, 'listening')
  onTestFinished(() => void http.close())
  const mail = await startMailServer()
  onTestFinished(() => mail.close())

  const endpoint = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const { stdout } = await promisify(execFile)(process.execPath, [program, endpoint, `${mail.port}`])
  expect(JSON.parse(stdout)).toEqual({
    title: 'Shade',
    text: 'Trees cool',
    png: 'PNG',
    seconds: { mp3: expect.closeTo(1.05, 1), opus: 1, wav: 1 },
    spoken: expect.any(Number),
    mail: null,
  })
  expect(requests).toEqual(['PUT /files/name', 'POST /v1/traces'])
  expect(mail.taken.map(({ to }) => to)).toEqual([['ann@example.com']])
})
