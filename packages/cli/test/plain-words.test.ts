import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contract from '@mkt/sdk/contract';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { fieldNames } from '../src/api/field-flags.js';
import { type Command, isGroup } from '../src/context/command.js';
import { globalFlags } from '../src/context/flags.js';
import { flagsOf } from '../src/fields/flags-of.js';
import { commands } from '../src/root/commands.js';

/** What brand admins do not say. */
const WORDS = [
  /\bISO[ -]\d/,
  /\bslugs?\b/,
  /\b(POST|PATCH|GET|HEAD)\b/,
  /\bstdin\b/i,
  /\bfrom then on\b/,
  /\bit is draft\b/,
];

/** Names of the API's fields, where they are more than one word: `cpm_amount`. */
const FIELDS = ['campaignFields', 'campaign', 'collabFields', 'organizationFields', 'addressFields']
  .flatMap((schema) => fieldNames(schema))
  .filter((name) => name.includes('_'));
const fieldWord = new RegExp(`(?<![\\w.,/-])(${FIELDS.join('|')})(?![\\w,.=-]*\\w|: )`);

/** For programmers and operators, who read the API's own words. */
const TECHNICAL = /^(api|mcp|serve|doctor|twin|watch|config|completion|demo|commands|help)\b/;

interface Text {
  readonly place: string;
  readonly text: string;
}

async function helpTexts(path: string, command: Command): Promise<Text[]> {
  const flags = (await flagsOf(command)).filter(({ hidden }) => hidden !== true);
  return [
    { place: `mkt ${path}`, text: command.summary },
    ...(command.notes ?? []).map((text) => ({ place: `mkt ${path}: note`, text })),
    ...(command.args ?? []).map(({ name, description }) => ({ place: `mkt ${path} <${name}>`, text: description })),
    ...flags.map(({ name, description }) => ({ place: `mkt ${path} --${name}`, text: description })),
  ];
}

async function allHelp(): Promise<Text[]> {
  const leaves = commands.flatMap((node) =>
    isGroup(node)
      ? node.commands().map((leaf) => [`${node.name} ${leaf.name}`, leaf] as const)
      : [[node.name, node] as const],
  );
  const texts = await Promise.all(
    leaves.filter(([path]) => !TECHNICAL.test(path)).map(([path, leaf]) => helpTexts(path, leaf)),
  );
  return [...globalFlags.map(({ name, description }) => ({ place: `--${name}`, text: description })), ...texts.flat()];
}

/** The messages that the commands of brand admins contain: every text with a blank, without the inserted values. */
function messagesIn(file: string): Text[] {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Text[] = [];
  const visit = (node: ts.Node): void => {
    const isImport = ts.isImportDeclaration(node.parent ?? node) || ts.isLiteralTypeNode(node.parent ?? node);
    const text = ts.isStringLiteralLike(node)
      ? node.text
      : ts.isTemplateExpression(node)
        ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('\u2026')
        : undefined;
    // Lines to type contain names of fields.
    const isCommand = text?.startsWith('mkt ');
    if (text !== undefined && !isImport && !isCommand && /\p{L} \p{L}/u.test(text)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart());
      found.push({ place: `${file}:${line + 1}`, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const FOLDERS = ['root', 'commands', 'declarations', 'changes', 'lists', 'fields', 'api', 'output', 'history'];

function allMessages(): Text[] {
  const root = join(import.meta.dirname, '..', 'src');
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map(({ parentPath, name }) => join(parentPath, name))
      .filter((file) => !(folder === 'commands' && TECHNICAL.test(file.slice(join(root, 'commands/').length))))
      .flatMap(messagesIn),
  );
}

/** The messages of the contract, which errors about fields show. */
function contractMessages(): Text[] {
  const bad: Readonly<Record<string, unknown>> = {
    name: ' ',
    website: 'x',
    content_type: 'A B',
    category: 'A B',
    currency: 'x',
    cpm_amount: -1,
    countries: ['x', 'US', 'US'],
    platform_ids: ['A B'],
    country_code: 'x',
    privacy_setting: 'x',
  };
  return [contract.campaignFields, contract.collabFields, contract.organizationFields, contract.addressFields].flatMap(
    (schema) =>
      (schema.safeParse(bad, contract.codesOnly).error?.issues ?? []).map((issue) => ({
        place: issue.path.join('.'),
        text: contract.problemText(contract.problemOf(issue)),
      })),
  );
}

const wrong = (texts: readonly Text[], patterns: readonly RegExp[]): string[] =>
  texts.flatMap(({ place, text }) => (patterns.some((pattern) => pattern.test(text)) ? [`${place}: ${text}`] : []));

it('describes commands and flags in words of brand admins', async () => {
  const texts = await allHelp();
  expect(texts.length).toBeGreaterThan(200);
  expect(wrong(texts, [...WORDS, fieldWord])).toEqual([]);
});

it('has messages in words of brand admins', () => {
  const texts = allMessages();
  expect(texts.length).toBeGreaterThan(300);
  expect(wrong(texts, [...WORDS, fieldWord])).toEqual([]);
});

it('says what is wrong with a field in words of brand admins', () => {
  const texts = contractMessages();
  expect(texts.length).toBeGreaterThan(10);
  expect(wrong(texts, WORDS)).toEqual([]);
});
