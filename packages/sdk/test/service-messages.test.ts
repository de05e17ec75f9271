import { describe, expect, it } from 'vitest';
import {
  explainsItself,
  joined,
  namesWait,
  sentenceInText,
  sentencesIn,
  withField,
  withoutField,
} from '../src/transport/service-messages.js';

describe('sentences of a service', () => {
  it.each<[unknown, string[]]>([
    ['Not found.', ['Not found.']],
    [
      ['One.', 'Two.'],
      ['One.', 'Two.'],
    ],
    [{ message: 'Broken.' }, ['Broken.']],
    [{ detail: 'Broken.' }, ['Broken.']],
    [{ title: 'Broken.' }, ['Broken.']],
    [{ a: [{ message: 'One.' }], b: 'Two.' }, ['One.', 'Two.']],
    [' ', []],
    [404, []],
  ])('are found in %j', (value, sentences) => expect(sentencesIn(value)).toEqual(sentences));

  it.each([
    ['<html><title> 502 Bad Gateway </title></html>', '502 Bad Gateway'],
    ['<p>No title</p>', undefined],
    [' upstream is down\n', 'upstream is down'],
  ])('are found in the text %j', (text, sentence) => expect(sentenceInText(text)).toBe(sentence));

  it.each([
    ['name', "can't be blank", "name can't be blank"],
    ['name', 'Name is taken.', 'Name is taken.'],
    ['base', 'is closed', 'is closed'],
  ])('get the field %s if they continue it: %s', (field, message, whole) =>
    expect(withField(field, message)).toBe(whole),
  );

  it.each([
    ['cpm_amount', 'Cpm amount must be 0 or more.', 'must be 0 or more.'],
    ['cpm_amount', 'CPM AMOUNT must be 0 or more.', 'must be 0 or more.'],
    ['platform_ids', 'Platform is unknown', 'is unknown'],
    ['organization_id', 'Organization must exist', 'must exist'],
    ['name', 'Names differ', 'Names differ'],
    ['logo', 'A private organization needs a logo.', 'A private organization needs a logo.'],
  ])('lose the field %s: %s', (field, message, rest) => expect(withoutField(field, message)).toBe(rest));

  it('are joined without control characters and without the status', () =>
    expect(joined(['502 Bad\u001b[31m Gateway', 'Two.'], 502)).toBe('Bad [31m Gateway Two.'));

  it.each([
    [401, 'The access token is missing.', true],
    [401, 'This access token is unknown or was revoked.', true],
    [401, 'This token is read-only.', true],
    [401, 'Not authorized to do this.', false],
    [403, 'Only admins may do this.', true],
    [404, 'Campaign 9 was not found.', true],
    [404, 'Not found.', false],
  ])('explain a %i: %s', (status, said, isExplained) => expect(explainsItself(status, said)).toBe(isExplained));

  it.each([
    ['Try again in 3 s.', 3, true],
    ['Try again in 30 s.', 3, false],
    ['Too many requests.', 3, false],
  ])('name the wait: %s', (said, seconds, isNamed) => expect(namesWait(said, seconds)).toBe(isNamed));
});
