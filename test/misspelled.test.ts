import { describe, expect, it } from 'vitest'
import { loadConfig } from '../src/config/config.ts'
import { closestSetting, settingNames, unknownSettings } from '../src/config/settings.ts'

describe('a variable that is nearly a setting', () => {
  it.each([
    ['GALLEY_SECRET_KEY', 'GALLEY_SECRET_KEYS'],
    ['GALLEY_ALOW_PRIVATE', 'GALLEY_ALLOW_PRIVATE'],
    ['GALLEY_DATADIR', 'GALLEY_DATA_DIR'],
    ['galley_role', 'GALLEY_ROLE'],
    ['GALLEY_PORT', 'PORT'],
    ['GALLEY_DATABASE_URL', 'DATABASE_URL'],
    ['GALLEY_PUBLIC_URL', 'PUBLIC_URL'],
    ['GALLEY_LOGLEVEL', 'LOG_LEVEL'],
  ])('%s is refused, and %s is named', (name, meant) => {
    expect(closestSetting(name)).toBe(meant)
    expect(() => loadConfig({ [name]: 'x' })).toThrow(
      `${name}: is not a setting; did you mean ${meant}?\n`.trim(),
    )
  })
})

it('what resembles no setting is named, and starts all the same', () => {
  const variables = {
    GALLEY_COLOUR: 'x',
    GALLEY_HOME: '/srv',
    GALLEY: 'http://x',
    PATH: '',
    GALLEY_TEST_WORDPRESS: 'x',
  }
  expect(() => loadConfig(variables)).not.toThrow()
  expect(unknownSettings(variables)).toEqual(['GALLEY_COLOUR', 'GALLEY_HOME'])
})

it('no setting is taken for another', () => {
  for (const name of settingNames) expect(closestSetting(name)).toBeUndefined()
})
