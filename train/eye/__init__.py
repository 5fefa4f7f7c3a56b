"""The bundled eye: pictures that are drawn, questions about them, and the network that sees them for the text model."""
