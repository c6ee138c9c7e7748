"""Stage 4, INDEX: lanes that rank exchanges by text or by vector, behind one small protocol."""
