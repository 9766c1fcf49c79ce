import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { operationsOf } from '../../../scripts/openapi/compare.ts'
import { isSchema, type Schema } from '../../../scripts/openapi/compare-schemas.ts'
import { description } from '../../../scripts/openapi/routes.ts'

const document = JSON.parse(JSON.stringify(description())) as Schema
const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addSchema(document, 'galley')

const pointer = (parts: string[]): string =>
  parts.map((part) => `/${encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('')

/** What is wrong with the example of each media type below here, by its place. */
function wrong(node: unknown, parts: string[]): string[] {
  if (!isSchema(node)) return []
  const own = 'example' in node && 'schema' in node ? judged(node.example, [...parts, 'schema']) : []
  return [...own, ...Object.entries(node).flatMap(([name, child]) => wrong(child, [...parts, name]))]
}

function judged(example: unknown, parts: string[]): string[] {
  const validate = ajv.compile({ $ref: `galley#${pointer(parts)}` })
  return validate(example) ? [] : [`${parts.join(' ')}: ${ajv.errorsText(validate.errors)}`]
}

test('every example is as the schema beside it says', () => {
  expect(wrong(document.paths, ['paths'])).toEqual([])
})

test('an example that is none would be found', () => {
  expect(
    judged({ success: true, data: 1 }, [
      'paths',
      '/v1/keys',
      'get',
      'responses',
      '200',
      'content',
      'application/json',
      'schema',
    ]),
  ).toHaveLength(1)
})

test('every JSON body that is sent, and every JSON answer to a key, has an example', () => {
  const without = operationsOf(document).flatMap(({ name, operation }) => {
    if (!('x-right' in operation)) return []
    const bodies = [
      operation.requestBody,
      ...Object.entries(operation.responses as Schema)
        .filter(([status]) => status.startsWith('2'))
        .map(([, response]) => response),
    ]
    const media = bodies.flatMap((body) =>
      isSchema(body) && isSchema(body.content) ? [body.content['application/json']] : [],
    )
    return media.filter((one) => isSchema(one) && !('example' in one)).map(() => name)
  })
  expect(without).toEqual([])
})
