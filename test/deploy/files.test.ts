import { existsSync, readFileSync } from 'node:fs'
import { validate } from 'dockerfile-utils'
import { expect, test } from 'vitest'
import { settingNames } from '../../src/config/settings.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const exists = (path: string) => existsSync(new URL(`../../${path}`, import.meta.url))

test.each(['Dockerfile', 'compose.yaml', 'deploy/galley.service', 'deploy/nginx.conf'])(
  'every setting that %s names is one of Galley',
  (file) => {
    const named = read(file).match(/\b(?:GALLEY_[A-Z_]+|DATABASE_URL|PUBLIC_URL)\b/g) ?? []
    expect(named).not.toEqual([])
    expect(named.filter((name) => !settingNames.includes(name))).toEqual([])
  },
)

test('the Dockerfile has nothing that its linter minds', () => {
  expect(validate(read('Dockerfile'))).toEqual([])
  expect(validate(read('Dockerfile').replace(/^USER node$/m, 'USR node'))).toMatchObject([
    { message: 'Unknown instruction: USR' },
  ])
})

test('what the Dockerfile copies is in the repository, and let through by .dockerignore', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
    files.split(' '),
  )
  const letThrough = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path = '']) => path)
  expect(copied.length).toBeGreaterThan(5)
  expect(copied.filter((path) => !exists(path))).toEqual([])
  expect(
    copied.filter((path) => !letThrough.some((shown) => path === shown || path.startsWith(`${shown}/`))),
  ).toEqual([])
})

test('the image asks Galley whether it lives where Galley answers that', () => {
  const [, path] = read('Dockerfile').match(/HEALTHCHECK[\s\S]*?(\/healthz|\/readyz)/) ?? []
  expect(read('src/http/health.ts')).toContain(`open('${path}'`)
})
