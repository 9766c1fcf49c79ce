import { __ } from '@wordpress/i18n'
import { Field, Select } from '../../components/form.tsx'
import { Group } from '../../components/group.tsx'
import { TermFields } from '../../components/post-fields/post-fields.tsx'
import { SiteChoice, SitesInWords } from '../../components/site-choice.tsx'
import { settingChoices } from '../../components/site-settings.tsx'
import { inWords } from '../../components/texts.ts'
import { formalities, postStatuses, textVoices, tiers, tiersOfStep } from './choices.ts'
import type { DocumentDraft } from './drafts.ts'
import { SpeechFields } from './speech.tsx'

interface GroupOfDocument {
  draft: DocumentDraft
  change(changes: Partial<DocumentDraft>): void
}

/** Tone and keywords. */
export const ToneAndKeywords = ({ draft, change }: GroupOfDocument) => (
  <Group
    title={__('Tone and keywords', 'galley')}
    chosen={draft.keywords}
    paths={['body.text.formality', 'body.text.voice', 'body.keywords']}
  >
    <Select
      label={__('How formal', 'galley')}
      value={draft.formality}
      onChange={(formality) => change({ formality })}
      options={formalities()}
      path="body.text.formality"
    />
    <Select
      label={__('Tone', 'galley')}
      value={draft.voice}
      onChange={(voice) => change({ voice })}
      options={textVoices()}
      path="body.text.voice"
    />
    <Field
      label={__('Keywords', 'galley')}
      help={__('What people should find it by: at most 10, separated by commas.', 'galley')}
      value={draft.keywords}
      onChange={(keywords) => change({ keywords })}
      autoComplete="off"
      path="body.keywords"
    />
  </Group>
)

/** The voice of the narration. */
export const Narration = ({ draft, change }: GroupOfDocument) => (
  <Group
    title={__('How it is read aloud', 'galley')}
    chosen={`${draft.speech.voice}, ${draft.speech.language}`}
    paths={['body.audio']}
  >
    <SpeechFields speech={draft.speech} onChange={(speech) => change({ speech })} path="body.audio" />
  </Group>
)

/** The tiers of the document and of its steps. */
export function Models({ draft, change }: GroupOfDocument) {
  const { model, models } = draft
  const ofStep = (step: keyof DocumentDraft['models'], label: string) => (
    <Select
      label={label}
      value={models[step]}
      onChange={(value) => change({ models: { ...models, [step]: value } })}
      options={tiersOfStep()}
      path={`body.${step}.model`}
    />
  )
  return (
    <Group
      title={__('Models', 'galley')}
      chosen={tiers()[model as 'standard']}
      paths={['body.model', 'body.text.model', 'body.research', 'body.image']}
    >
      <Select
        label={__('Tier of models for the document', 'galley')}
        guide="generation.md#models"
        help={__('A higher one costs more, and is usually better.', 'galley')}
        value={model}
        onChange={(next) => change({ model: next })}
        options={tiers()}
        path="body.model"
      />
      {ofStep('text', __('For the text', 'galley'))}
      {ofStep('research', __('For the research', 'galley'))}
      {draft.pictures && ofStep('image', __('For the pictures', 'galley'))}
      {draft.narration && ofStep('audio', __('For the narration', 'galley'))}
    </Group>
  )
}

/** The site, the status and the terms of the post. */
export function Post({ draft, change }: GroupOfDocument) {
  const { sites } = draft
  return (
    <Group
      title={__('Straight to a site', 'galley')}
      paths={['body.site_id', 'body.post_status', 'body.on_loss', 'body.categories', 'body.tags']}
    >
      {sites.length > 0 && (
        <p>
          <SitesInWords sites={sites} labels={[]} />
        </p>
      )}
      <SiteChoice
        legend={__('Site it goes to (leave empty for none)', 'galley')}
        chosen={sites}
        onChange={(ids) => change({ sites: ids.slice(-1) })}
      />
      {sites.length > 0 && (
        <>
          <PostFields post={draft} change={change} path="body" />
          <Select
            label={settingChoices.on_loss.label()}
            value={draft.on_loss}
            onChange={(on_loss) => change({ on_loss })}
            options={{ '': __('As its site says', 'galley'), ...inWords(settingChoices.on_loss.options) }}
          />
        </>
      )}
    </Group>
  )
}

interface PostFieldsProps {
  post: Pick<DocumentDraft, 'post_status' | 'categories' | 'tags'>
  change(changes: Partial<PostFieldsProps['post']>): void
  /** The paths of its terms begin like this. */
  path: string
}

/** The status of the post. */
export const PostFields = ({ post, change, path }: PostFieldsProps) => (
  <>
    <Select
      label={__('It becomes', 'galley')}
      value={post.post_status}
      onChange={(post_status) => change({ post_status })}
      options={postStatuses()}
    />
    <TermFields terms={post} onChange={change} path={path} />
  </>
)

interface WebhookAddressProps {
  value: string
  onChange(value: string): void
}

/** The webhook that is called at the end. */
export const WebhookAddress = ({ value, onChange }: WebhookAddressProps) => (
  <Group title={__('Notify somebody', 'galley')} chosen={value} paths={['body.webhook_url']}>
    <Field
      label={__('Webhook URL to notify when it ends', 'galley')}
      guide="contract.md#what-is-told"
      help={__('May be left out: this page shows how far it is.', 'galley')}
      value={value}
      onChange={onChange}
      inputMode="url"
      autoComplete="off"
      dir="ltr"
      placeholder="https://example.com/hook"
      path="body.webhook_url"
    />
  </Group>
)
