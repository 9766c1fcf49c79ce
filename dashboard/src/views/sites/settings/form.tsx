import { useMutation, useQueryClient } from '@tanstack/react-query'
import { __ } from '@wordpress/i18n'
import { useState } from 'react'
import { call, type Site, type SiteChoices } from '../../../api/client.ts'
import { useNotice } from '../../../app/notices.tsx'
import { changed } from '../../../components/changed.ts'
import { Field } from '../../../components/field.tsx'
import { Checkbox, Choice, Form, Select } from '../../../components/form.tsx'
import { labelsHelp, labelsIn, labelText } from '../../../components/label-text.ts'
import { SettingSelects } from '../../../components/site-settings.tsx'
import { wordsFor } from '../../../components/states/failure.tsx'

interface SettingsFormProps {
  site: Site
  /** What the site has; undefined where it could not be asked. */
  choices: SiteChoices | undefined
  /** Why not. */
  failure: unknown
  onDone(): void
}

/**
 * Name, labels and settings of a site; only what was changed is sent. The site is asked again whether it has what is chosen
 * before it is stored.
 */
export function SettingsForm({ site: live, choices, failure, onDone }: SettingsFormProps) {
  // As it was when the form was opened: what others change meanwhile stays.
  const [site] = useState(live)
  const queryClient = useQueryClient()
  const notice = useNotice()
  const [name, setName] = useState(site.name)
  const [labels, setLabels] = useState(labelText(site.labels))
  const [settings, setSettings] = useState(site.settings)
  const change = (changes: Partial<Site['settings']>) => setSettings({ ...settings, ...changes })
  const save = useMutation({
    mutationFn: () =>
      call('updateSite', {
        path: { uuid: site.id },
        body: {
          ...changed(site, { name: name.trim(), labels: labelsIn(labels) }),
          settings: changed(site.settings, settings),
        },
      }),
    onSuccess: () => {
      notice({ text: __('The settings are stored.', 'galley') })
      onDone()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sites'] }),
  })
  const { post_types = [], authors = [], categories = [], languages = [] } = choices ?? {}
  const none = { '': __('None', 'galley') }
  return (
    <Form
      submit={save.isPending ? __('Asking the site…', 'galley') : __('Save', 'galley')}
      failure={save.error}
      pending={save.isPending}
      incomplete={name.trim() === ''}
      onSubmit={() => save.mutate()}
      onCancel={onDone}
    >
      {failure != null && (
        <p className="g-field-mistake" role="alert">
          {__('The site did not say what it has:', 'galley')} {wordsFor(failure).text}
        </p>
      )}
      <Field
        label={__('Name', 'galley')}
        value={name}
        onChange={setName}
        failure={save.error}
        path="body.name"
      />
      <Field
        label={__('Labels', 'galley')}
        help={labelsHelp()}
        value={labels}
        onChange={setLabels}
        failure={save.error}
        path="body.labels"
      />
      <Select
        label={__('Documents become', 'galley')}
        value={settings.post_type}
        onChange={(post_type) => change({ post_type })}
        options={among(site.settings.post_type, post_types)}
      />
      <Select
        label={__('Author', 'galley')}
        value={settings.author ?? ''}
        onChange={(author) => change({ author: author === '' ? null : author })}
        options={{
          '': __('The user that Galley writes as', 'galley'),
          ...among(site.settings.author, authors.map(asNamed)),
        }}
      />
      <Choice legend={__('Categories of a document that names none', 'galley')}>
        <div className="g-choice-list">
          {[...new Set([...site.settings.default_categories, ...categories])].map((category) => (
            <Checkbox
              key={category}
              label={category}
              checked={settings.default_categories.includes(category)}
              onChange={(checked) => {
                const others = settings.default_categories.filter((one) => one !== category)
                change({ default_categories: checked ? [...others, category] : others })
              }}
            />
          ))}
        </div>
      </Choice>
      <Select
        label={__('Category in place of a missing one', 'galley')}
        value={settings.fallback_category ?? ''}
        onChange={(category) => change({ fallback_category: category === '' ? null : category })}
        options={{ ...none, ...among(site.settings.fallback_category, categories.map(asNamed)) }}
      />
      {(languages.length > 0 || settings.language !== null) && (
        <Select
          label={__('Language', 'galley')}
          value={settings.language ?? ''}
          onChange={(language) => change({ language: language === '' ? null : language })}
          options={{
            '': __('That of the site', 'galley'),
            ...among(site.settings.language, languages),
          }}
        />
      )}
      <SettingSelects
        settings={settings}
        onChange={(chosen) => setSettings({ ...settings, ...chosen } as typeof settings)}
      />
    </Form>
  )
}

interface Named {
  value: string
  name: string
}

const asNamed = (name: string): Named => ({ value: name, name })

/** What there is to choose, with what is chosen now, which the site may not have any more. */
const among = (now: string | null, offered: Named[]): Record<string, string> =>
  Object.fromEntries([
    ...(now === null ? [] : [[now, now]]),
    ...offered.map(({ value, name }) => [value, name]),
  ])
