/** Owns reading interfaces, their fields and their comments from the sources, as the compiler sees them. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export const root: string = join(import.meta.dirname, '../..');

export interface SourceField {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
  readonly meaning: string;
  readonly standard: string | undefined;
}

export interface SourceInterface {
  readonly name: string;
  readonly meaning: string;
  readonly fields: readonly SourceField[];
}

const parsed = new Map<string, ts.SourceFile>();

function parse(path: string): ts.SourceFile {
  const known = parsed.get(path);
  if (known) return known;
  const file = ts.createSourceFile(path, readFileSync(join(root, path), 'utf8'), ts.ScriptTarget.Latest, true);
  parsed.set(path, file);
  return file;
}

/** Every interface of a file, by name. */
export function readInterfaces(path: string): ReadonlyMap<string, SourceInterface> {
  const file = parse(path);
  const found = file.statements.filter((statement) => ts.isInterfaceDeclaration(statement));
  return new Map(found.map((declaration) => [declaration.name.text, toInterface(declaration, file)]));
}

export function readInterface(path: string, name: string): SourceInterface {
  const found = readInterfaces(path).get(name);
  if (!found) throw new Error(`${path} has no interface ${name}`);
  return found;
}

/** The members of a union type. */
export function unionMembers(path: string, name: string): readonly string[] {
  const file = parse(path);
  const alias = file.statements.find((statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name);
  if (!alias || !ts.isTypeAliasDeclaration(alias) || !ts.isUnionTypeNode(alias.type)) throw new Error(`${path} has no union ${name}`);
  return alias.type.types.map((type) => type.getText(file));
}

/** Calls `visit` with every node of every TypeScript file below a folder. */
export function visitSources(folder: string, visit: (node: ts.Node, path: string) => void): void {
  for (const path of globSync(`${folder}/**/*.ts`, { cwd: root })) {
    const walk = (node: ts.Node): void => {
      visit(node, path);
      ts.forEachChild(node, walk);
    };
    walk(parse(path));
  }
}

function toInterface(declaration: ts.InterfaceDeclaration, file: ts.SourceFile): SourceInterface {
  const own = declaration.members.filter((member) => ts.isPropertySignature(member)).map((field) => toField(field, file));
  return { name: declaration.name.text, meaning: commentOf(declaration), fields: [...inheritedFields(declaration, file), ...own] };
}

/** Only interfaces of the same file; types from other files have a separate place on the page. */
function inheritedFields(declaration: ts.InterfaceDeclaration, file: ts.SourceFile): readonly SourceField[] {
  const names = (declaration.heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression.getText(file)));
  return names.flatMap((name) => {
    const found = file.statements.find((statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name);
    return found && ts.isInterfaceDeclaration(found) ? toInterface(found, file).fields : [];
  });
}

function toField(field: ts.PropertySignature, file: ts.SourceFile): SourceField {
  const tag = ts.getJSDocTags(field).find(({ tagName }) => tagName.text === 'default');
  const optional = field.questionToken !== undefined;
  const type = oneLine(field.type?.getText(file) ?? 'unknown');
  return {
    name: field.name.getText(file),
    optional,
    // An optional field may be undefined as well.
    type: optional ? type.replace(/ \| undefined$/, '').replace(/^\((.*=>.*)\)$/, '$1') : type,
    meaning: commentOf(field),
    standard: tag && oneLine(ts.getTextOfJSDocComment(tag.comment) ?? ''),
  };
}

function commentOf(node: ts.Node): string {
  const comments = ts.getJSDocCommentsAndTags(node).filter((comment) => ts.isJSDoc(comment));
  return comments.map(({ comment }) => oneLine(ts.getTextOfJSDocComment(comment) ?? '')).join(' ');
}

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
